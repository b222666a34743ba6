/** What a connector writes into `content_attributes.aip` of every message that it creates, so that its echo is known. */
export interface LoopMarker {
  connector_id: string;
  loop_prevention: true;
  action_id: string;
}

/** The marker of a message that the action creates. */
export function loopMarker(connectorId: string, actionId: string): LoopMarker {
  return { connector_id: connectorId, loop_prevention: true, action_id: actionId };
}
