// The library's container needs the polyfill before it loads.
import 'reflect-metadata';

export * from '@peculiar/x509';
