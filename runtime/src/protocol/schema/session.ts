import { Principal } from './core.js';
import { L, list, O, oneOf, R, record, string, stringMap, time, u32, u64 } from './dsl/dsl.js';
import { Event } from './lifecycle.js';

export const SessionState = oneOf(
  'SessionState',
  'State of a session.',
  'new active queued processing streaming waiting_for_human completed failed cancelled settled',
);
export const SessionRequest = record('SessionRequest', 'Asks for a session.', { session_id: R(string) });
export const SessionListRequest = record('SessionListRequest', 'Asks for a page of sessions.', {
  principal_id: O(string),
  status: O(SessionState),
  cursor: O(string),
  limit: O(u32),
});
export const SessionView = record('SessionView', 'The view of a session.', {
  session_id: R(string),
  status: R(SessionState),
  principal: R(Principal),
  peer: R(Principal),
  created_at: R(time),
  updated_at: R(time),
  expires_at: O(time),
  active_action_count: R(u64),
  links: stringMap,
});
export const SessionList = record('SessionList', 'A page of sessions.', {
  sessions: R(list(SessionView)),
  cursor: O(string),
});
export const SessionCloseRequest = record('SessionCloseRequest', 'Closes a session.', {
  session_id: R(string),
  reason: O(string),
});
export const SessionResumeRequest = record('SessionResumeRequest', 'Resumes a session with a single-use token.', {
  session_id: R(string),
  resume_token: O(string),
  last_event_cursor: O(string),
});
export const SessionResume = record('SessionResume', 'A resumed session and the token that replaces the used one.', {
  session: R(SessionView),
  replayed_events: L(Event),
  next_cursor: O(string),
  resume_token: O(string),
});
