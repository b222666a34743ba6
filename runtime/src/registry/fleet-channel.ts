/** Notified when a replica comes, goes offline or drains, and when an action wakes an idle instance; heartbeats change nothing. */
export const FLEET_CHANNEL = 'aip_fleet';

/** Notifies the channel once the transaction has committed. */
export const NOTIFY_FLEET = `SELECT pg_notify('${FLEET_CHANNEL}', '')`;
