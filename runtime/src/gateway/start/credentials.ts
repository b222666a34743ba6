import type { Clock } from '../../protocol/clock.js';
import type { Logger } from '../../transport/process/logger.js';
import { StartupRefused } from '../../transport/process/startup.js';
import type { GatewayConfig } from '../config.js';
import { type Authenticator, authenticator } from '../edge/authenticate.js';
import { bearerEdge } from '../edge/bearer.js';
import { openPrincipalsFile, type PrincipalsFile } from '../edge/principals-file.js';

/** Who may call, by the settings. */
export function authenticatorOf(
  config: GatewayConfig,
  principals: PrincipalsFile | undefined,
  clock: Clock,
  ownDid: () => string | undefined,
): Authenticator {
  return authenticator({
    edge: bearerEdge({ credential: config.credential, principals, clock }),
    signers: config.signers,
    self: () => {
      const did = ownDid();
      return { ...config.principal, trust_domain: config.trustDomain, ...(did === undefined ? {} : { did }) };
    },
    allowUnsigned: config.allowUnsigned,
    ...(config.insecureDevelopment && {
      development: config.principal,
      developmentTenantId: config.developmentTenantId,
    }),
    clock,
  });
}

/** Opens the principals file. Throws StartupRefused. */
export async function principalsOf(path: string, clock: Clock, log: Logger): Promise<PrincipalsFile> {
  try {
    return await openPrincipalsFile({
      path,
      clock,
      onInvalid: (error) =>
        log.error({ reason: error.message }, 'the principals file is not valid; the last valid one stays in force'),
    });
  } catch (error) {
    throw new StartupRefused('aip.server.config', `the principals file is refused: ${(error as Error).message}`);
  }
}
