import { MessagePart } from './core.js';
import { flag, L, list, O, R, record, string, time, u32 } from './dsl/dsl.js';

export const ResourceAccessPolicy = record('ResourceAccessPolicy', 'Who may read; any one required scope suffices.', {
  public: flag,
  allowed_principals: L(string),
  required_scopes: L(string),
  tenant_required: flag,
});
export const Resource = record('Resource', 'Something that can be read.', {
  id: R(string),
  name: R(string),
  kind: O(string),
  capability_id: O(string),
  description: O(string),
  mime_type: O(string),
  tenant_id: O(string),
  access: O(ResourceAccessPolicy),
  expires_at: O(time),
});
export const ResourceListRequest = record('ResourceListRequest', 'Asks for a page of resources.', {
  capability_id: O(string),
  kind: O(string),
  tenant_id: O(string),
  cursor: O(string),
  limit: O(u32),
});
export const ResourceList = record('ResourceList', 'A page of resources.', {
  resources: R(list(Resource)),
  cursor: O(string),
});
export const ResourceReadRequest = record('ResourceReadRequest', 'Asks for the content of a resource.', {
  resource_id: R(string),
  tenant_id: O(string),
  version: O(string),
  accept: L(string),
});
export const ResourceReadResult = record('ResourceReadResult', 'A resource with its content.', {
  resource: R(Resource),
  content: L(MessagePart),
  etag: O(string),
  expires_at: O(time),
});
