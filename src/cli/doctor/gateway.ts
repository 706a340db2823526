import { isJsonObject, parseJson } from '../../model/text.ts';
import type { CommandDependencies } from '../base/dependencies.ts';
import { type CheckedAddress, isLocal, placeOf } from './address.ts';
import { fail, type Finding, skip, warn } from './finding.ts';
import { checkParts } from './parts.ts';
import { probe } from './probe.ts';

const check = 'gateway';
const standardPort = '8787';

interface Known {
  /** Of the API. */
  readonly address: CheckedAddress;
  /** What was found there. */
  readonly service: readonly Finding[];
}

/** Whether the other listener takes calls. @param given its address; absent, one beside an API of this machine is tried. */
export async function checkGateway(
  { environment, now }: CommandDependencies,
  given: string | undefined,
  { address: { address: api }, service }: Known,
): Promise<readonly Finding[]> {
  const { GATELOG_PORT: one, GATELOG_GATEWAY_PORT: port } = environment;
  if (given === undefined && Boolean(one)) return [skip(check, 'it shares the address of the API')];
  const address = given === undefined ? besideLocal(api, port === '' ? undefined : port) : URL.parse(given);
  if (given !== undefined && (address === null || !/^https?:$/.test(address.protocol))) {
    return [fail(check, '--gateway takes an address of http or https.', `Write one such as http://127.0.0.1:${standardPort}`)];
  }
  if (address === null) return [skip(check, 'its address is not known here', 'Give it with --gateway to check it too.')];
  const place = placeOf(new URL(address.origin));
  const answer = await probe(`${place}/readyz`, now);
  if ('code' in answer) {
    const says = `Nothing answers at ${place} (${answer.code}).`;
    return [
      given === undefined
        ? warn(check, says, 'If it is elsewhere, give its address with --gateway.')
        : fail(check, says, 'Start it with "gatelog serve", or correct the address.'),
    ];
  }
  const json = parseJson(answer.text);
  if (isJsonObject(json) && 'failing' in json) {
    const remedy = 'Let clients of providers use the address that "gatelog serve" shows as Gateway.';
    return [fail(check, `${place} is the API; model calls need the gateway.`, remedy)];
  }
  const found = checkParts(check, answer, `${place} takes calls`);
  // Both listeners name the core's parts.
  const known = new Set(service.map(({ says }) => says));
  const others = found.filter(({ says }) => !known.has(says));
  return others.length > 0 ? others : [warn(check, `${place} takes calls; what is said of the service above holds for it too.`)];
}

/** @returns null for an API of another machine. */
function besideLocal(api: URL | undefined, port = standardPort): URL | null {
  if (api === undefined || !isLocal(api)) return null;
  const beside = new URL(api.origin);
  beside.protocol = 'http:';
  beside.port = port;
  return beside;
}
