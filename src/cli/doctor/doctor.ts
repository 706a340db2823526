import { type CommandDependencies, CommandError } from '../base/dependencies.ts';
import { jsonText } from '../base/json.ts';
import { localAddress } from '../base/local-address.ts';
import { packageVersion } from '../base/version.ts';
import { type CheckedAddress, checkAddress, placeOf } from './address.ts';
import { checkFigures } from './figures.ts';
import { type Finding, skip } from './finding.ts';
import { checkGateway } from './gateway.ts';
import { formOfKey } from './key.ts';
import { checkClock, checkListener, checkVersion } from './listener.ts';
import { checkParts } from './parts.ts';
import { probe } from './probe.ts';
import { checkQuery } from './query.ts';
import { checkSettings, type SeenSettings } from './settings.ts';
import { findingsText } from './text.ts';

export interface DoctorOptions {
  /** Address of the gateway. */
  readonly gateway?: string;
  readonly json?: true;
}

/**
 * `gatelog doctor`: checks the way from here to the record, each step when those before it are good. It changes nothing and shows no secret.
 * @throws CommandError when a check has failed.
 */
export async function diagnose(dependencies: CommandDependencies, options: DoctorOptions): Promise<void> {
  const seen = checkSettings(dependencies);
  const address = checkAddress(seen.apiUrl, localAddress(dependencies.environment));
  const service = await checkService(dependencies, seen, address);
  const findings = [
    ...seen.findings,
    address.finding,
    ...service,
    ...(await checkGateway(dependencies, options.gateway, { address, service })),
  ];
  const failed = findings.filter(({ state }) => state === 'fail').length;
  dependencies.print(options.json === true ? jsonText({ ok: failed === 0, checks: findings }, 2) : findingsText(findings, dependencies));
  if (failed > 0) throw new CommandError(failed === 1 ? 'A check has failed.' : `${failed} checks have failed.`);
}

async function checkService(
  { environment, now }: CommandDependencies,
  { apiUrl, apiKey: key }: SeenSettings,
  { address }: CheckedAddress,
): Promise<readonly Finding[]> {
  const form = formOfKey(key);
  const withoutService = [...(form === undefined ? [] : [form]), skip('others', 'the other checks need the API')];
  if (address === undefined) return withoutService;
  const place = placeOf(address);
  const { api, finding } = checkListener(address, await probe(`${place}/openapi.json`, now));
  if (api === undefined) return [finding, ...withoutService];
  // As with the key of the API: one of the environment goes to no address that a file names.
  const isFileAddress = apiUrl !== undefined && environment['GATELOG_API_URL'] !== apiUrl;
  const metricsKey = isFileAddress ? undefined : environment['GATELOG_METRICS_KEY'];
  const [parts, figures] = await Promise.all([probe(`${place}/readyz`, now), probe(`${place}/metrics`, now, metricsKey)]);
  return [
    finding,
    checkVersion(api.version, packageVersion()),
    checkClock(api.answer),
    ...(key === undefined || form !== undefined
      ? [...(form === undefined ? [] : [form]), skip('query', 'needs a key')]
      : await checkQuery(place, key, now)),
    ...checkParts('service', parts, 'the store answers, and records get into it'),
    ...checkFigures(figures, metricsKey !== undefined),
  ];
}
