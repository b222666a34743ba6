import Capabilities from './index.js';

export default class CapabilitiesList extends Capabilities {
  static override summary = "List what the token's tenant may call.";
}
