import { clientAddressMark } from '../auth/sealing.ts';
import { deploymentSecret } from '../auth/secret-key.ts';
import { dataPaths } from '../config/data-paths.ts';
import { listenerAddresses } from '../config/listener-addresses.ts';
import type { Config } from '../config/load.ts';
import { gatewayPath } from '../config/one-address.ts';
import { tlsFilesOf } from '../config/tls-files.ts';
import { type GatewayDependencies, openGateway } from '../gateway/open.ts';
import { familiesOf } from '../health/metric-families.ts';
import { startGatewayReceivers } from '../intake/open.ts';
import { openExistingMetadata } from '../metadata/open.ts';
import type { OrganizationId } from '../model/ids.ts';
import { systemClock } from '../platform/clock.ts';
import { ensureFolder } from '../platform/files.ts';
import { clientAddressBehind } from '../platform/http/client-address.ts';
import { makeLogger } from '../platform/logger.ts';
import { releaseMemoryAtRest } from '../platform/memory/at-rest.ts';
import { Meter } from '../platform/metrics/meter.ts';
import { measured } from '../platform/metrics/observed.ts';
import { sampleProcess } from '../platform/metrics/process-sampler.ts';
import { recordReady } from '../platform/metrics/readiness.ts';
import { makeCostEstimate, readUser } from '../pricing/estimate/estimate-cost.ts';
import type { CorePrices } from '../pricing/held/core-prices.ts';
import { openPrices } from '../pricing/held/open.ts';
import type { Prices } from '../pricing/look-up.ts';
import { makeMakerOf } from '../pricing/models/model-makers.ts';
import { publicList } from '../pricing/public-list.ts';
import { modelsOf } from '../pricing/models/models-of.ts';
import { openProcessSeries } from '../spool/process-series.ts';
import { openSharedState } from '../state/shared-state.ts';
import { type RunningRole, reportMetrics } from '../supervisor/child.ts';
import { coreAddress, degradedCoreParts } from '../supervisor/core-address.ts';
import { rejectUnsupportedSettings } from './shared.ts';

/** Opens the rooms of one gateway worker in this order, and closes them in reverse. */
export async function startGateway(config: Config): Promise<RunningRole> {
  rejectUnsupportedSettings(config);
  publicList();
  const meter = new Meter(familiesOf.gateway);
  const log = makeLogger(config.logLevel, 'gateway');
  const observe = measured(meter, log);
  ensureFolder(dataPaths(config).spool);
  const database = await openExistingMetadata(config, 'gateway', observe);
  const series = openProcessSeries(config, observe);
  const state = openSharedState(config, observe);
  const takers = startGatewayReceivers(config, series, { database, observe });
  const gateway = openGateway({
    config,
    observe,
    logCall: logsCalls(config) ? log : undefined,
    meter,
    database,
    series,
    state,
    takers,
    pricing: pricingFor(config, openPrices(config, database, observe)),
    core: { address: () => coreAddress(config.dataDir), degradedParts: () => degradedCoreParts(config.dataDir) },
    addresses: listenerAddresses(config),
    front: frontOf(config),
    tlsFiles: tlsFilesOf(config),
  });
  const sampled = (): void => {
    gateway.noteConnections();
    recordReady(meter, gateway.isReady());
    reportMetrics(meter.cells);
  };
  const timers = [sampleProcess(meter, sampled), releaseMemoryAtRest()];
  const address = await gateway.listen();
  return {
    address,
    stop: async (calls) => {
      await gateway.stop(calls);
      for (const end of timers) end();
      await takers.close();
      await series.close();
      await gateway.close();
      await state.close();
      await database.close();
    },
  };
}

/** Undefined where the API has a listener of its own. */
function frontOf(config: Config): GatewayDependencies['front'] {
  if (config.port === undefined) return undefined;
  const clientAddressOf = clientAddressBehind(config.trustedProxies);
  const mark = clientAddressMark(deploymentSecret(config.secretKey, dataPaths(config).secret));
  return {
    basePath: config.basePath,
    gatewayPath,
    coreAddress: () => coreAddress(config.dataDir),
    clientAddressLine: (request) => `${mark} ${clientAddressOf(request) ?? ''}`,
  };
}

/** `auto` logs calls on a terminal. */
function logsCalls({ logCalls }: Config): boolean {
  return logCalls === 'on' || (logCalls === 'auto' && process.stderr.isTTY);
}

function pricingFor({ budgetReserveCents }: Config, { book, stored }: CorePrices): GatewayDependencies['pricing'] {
  const pricesOf = (organizationId: OrganizationId): Prices => ({ book, organization: stored.get(organizationId) });
  return {
    knownModels: (name, organizationId) => modelsOf(name, pricesOf(organizationId)),
    makerOf: makeMakerOf(book, systemClock.now),
    estimateCost: makeCostEstimate(budgetReserveCents, pricesOf),
    readUser,
  };
}
