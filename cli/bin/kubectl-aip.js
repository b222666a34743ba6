#!/usr/bin/env node
// kubectl calls a plugin by the name of its file; everything else is the same program.
import './aip.js';
