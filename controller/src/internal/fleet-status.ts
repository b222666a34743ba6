/** The registry's view of a fleet for sibling packages; loads the database client. */
export { type FleetStatusRow, fleetStatus, openReadOnly } from '../local/state/fleet-status.js';
