/** Version of the connector interface, printed by `aip-runtime describe`; rises with every incompatible change. */
export const SDK_VERSION = '2';
