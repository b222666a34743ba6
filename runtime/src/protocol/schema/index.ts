import * as agent from './agent.js';
import * as audit from './audit.js';
import * as callback from './callback.js';
import * as channel from './channel.js';
import * as core from './core.js';
import * as discovery from './discovery.js';
import type { Definition } from './dsl/dsl.js';
import * as economic from './economic.js';
import { BODIES, Body, Envelope, MessageType } from './envelope.js';
import * as fleet from './fleet.js';
import * as lifecycle from './lifecycle.js';
import * as policy from './policy.js';
import * as resource from './resource.js';
import * as session from './session.js';
import * as transaction from './transaction.js';

const families = [
  core,
  lifecycle,
  policy,
  session,
  transaction,
  callback,
  discovery,
  channel,
  audit,
  resource,
  economic,
  agent,
  fleet,
  { MessageType, Body, Envelope },
];

/** Every definition by name: all records, unions and enums of the protocol. */
export const DEFINITIONS: ReadonlyMap<string, Definition> = new Map(
  families
    .flatMap((family) => Object.values(family) as Definition[])
    .map((definition) => [definition.name, definition]),
);

export { BODIES };
