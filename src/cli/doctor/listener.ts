import { isJsonObject, parseJson } from '../../model/text.ts';
import { printable } from '../../config/text-table.ts';
import { standardApiPort } from '../base/local-address.ts';
import { placeOf } from './address.ts';
import { fail, type Finding, ok, warn } from './finding.ts';
import type { Answered, Failed, Probe } from './probe.ts';

/** The API's listener that answered. */
export interface FoundApi {
  readonly version: string;
  readonly answer: Answered;
}

/** What answers at an address. @param document the answer at `/openapi.json`. */
export function checkListener(address: URL, document: Probe): { readonly api: FoundApi | undefined; readonly finding: Finding } {
  if ('code' in document) return { api: undefined, finding: unreached(address, document) };
  const json = parseJson(document.text);
  const version = versionIn(json);
  const api = document.status === 200 && version !== undefined ? { version, answer: document } : undefined;
  if (api !== undefined) return { api, finding: ok('connection', `the API of Gatelog answers (${document.ms} ms)`) };
  return { api: undefined, finding: stranger(address, document, json) };
}

function versionIn(json: unknown): string | undefined {
  const info = isJsonObject(json) ? json['info'] : undefined;
  if (!isJsonObject(info) || info['title'] !== 'Gatelog' || typeof info['version'] !== 'string') return undefined;
  return printable(info['version']).slice(0, 40);
}

/** The answer of another program or of the other listener. */
function stranger(address: URL, { status, headers, text }: Answered, json: unknown): Finding {
  const place = placeOf(address);
  const to = headers.get('location');
  if (status >= 300 && status < 400 && to !== null) {
    const target = URL.parse(to, `${place}/`);
    const remedy =
      target === null ? 'Write the address that it names.' : `Set GATELOG_API_URL to ${placeOf(target).replace(/\/openapi\.json$/, '')}`;
    return fail('connection', `${place} sends callers elsewhere (status ${status}).`, remedy);
  }
  if (isGatewayProblem(json)) {
    const remedy = `Set GATELOG_API_URL to the address that "gatelog serve" shows as API, such as ${apiBeside(address)}.`;
    return fail('connection', `${place} is the gateway of Gatelog, which takes model calls; commands need the API.`, remedy);
  }
  if (status === 400 && /https/i.test(text.slice(0, 2000))) {
    return fail('connection', `${place} speaks https.`, `Set GATELOG_API_URL to ${place.replace(/^http:/, 'https:')}`);
  }
  const server = headers.get('server');
  const who = server === null ? 'another program' : `another program (${printable(server).slice(0, 60)})`;
  const remedy = 'Set GATELOG_API_URL to the address that "gatelog serve" shows as API.';
  return fail('connection', `${who} answers at ${place} (status ${status}).`, remedy);
}

function isGatewayProblem(json: unknown): boolean {
  const error = isJsonObject(json) ? json['error'] : undefined;
  return isJsonObject(error) && error['type'] === 'gatelog_error';
}

/** The API's usual port on the same machine. */
function apiBeside(address: URL): string {
  const beside = new URL(address);
  beside.port = standardApiPort;
  return beside.origin;
}

const start = 'Start it with "gatelog serve", or set GATELOG_API_URL to where it runs.';

/** What the codes of failed connections mean. A code of another begin is told as it is. */
const meanings: Readonly<Record<string, { readonly says: string; readonly remedy: string }>> = {
  ECONNREFUSED: { says: 'nothing listens there', remedy: start },
  ENOTFOUND: { says: 'no machine has this name', remedy: 'Correct the name in GATELOG_API_URL.' },
  EAI_AGAIN: { says: 'the name cannot be looked up just now', remedy: 'Check the network and its name server.' },
  ETIMEDOUT: { says: 'the machine does not answer', remedy: 'Check the address, the network and firewalls in between.' },
  EHOSTUNREACH: { says: 'there is no way to the machine', remedy: 'Check the address, the network and firewalls in between.' },
  ENETUNREACH: { says: 'there is no way to the machine', remedy: 'Check the address, the network and firewalls in between.' },
  UND_ERR_CONNECT_TIMEOUT: { says: 'the machine does not answer', remedy: 'Check the address, the network and firewalls in between.' },
  timeout: { says: 'a connection is there, but no answer within 10 s', remedy: 'Look at the load and the log of the service.' },
};

const certificateCode = /CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS/;

function unreached(address: URL, { code, message }: Failed): Finding {
  const place = placeOf(address);
  const meaning = meanings[code];
  if (meaning !== undefined) return fail('connection', `Nothing answers at ${place}: ${meaning.says} (${code}).`, meaning.remedy);
  if (certificateCode.test(code)) {
    const remedy =
      'Let the certificate name this host and come from an authority that Node knows; NODE_EXTRA_CA_CERTS adds one of your own.';
    return fail('connection', `The certificate of ${place} is not accepted (${code}).`, remedy);
  }
  if (address.protocol === 'https:' && /SSL|EPROTO|wrong version/i.test(code + message)) {
    return fail('connection', `${place} does not speak https.`, `Set GATELOG_API_URL to ${place.replace(/^https:/, 'http:')}`);
  }
  if (address.protocol === 'http:' && /ECONNRESET|UND_ERR_SOCKET|HPE_/.test(code)) {
    const remedy = `It may speak https: try ${place.replace(/^http:/, 'https:')}`;
    return fail('connection', `${place} breaks off the connection (${code}).`, remedy);
  }
  return fail('connection', `Nothing answers at ${place} (${printable(message).slice(0, 200)}).`, start);
}

/** Whether client and service are of one version. */
export function checkVersion(service: string, client: string): Finding {
  if (service === client) return ok('version', `${service}, as this command`);
  const isLater = service.localeCompare(client, 'en', { numeric: true }) > 0;
  return warn(
    'version',
    `The service is ${service}, this command ${client}.`,
    isLater ? 'Install the same version here.' : 'Upgrade the service, or install its version here.',
  );
}

/** Seconds; the header that tells of a service's clock has whole ones. */
const maxSkew = 5;

/** Whether both clocks agree. */
export function checkClock({ headers, middle }: Answered): Finding {
  const told = Date.parse(headers.get('date') ?? '');
  if (Number.isNaN(told)) return warn('clock', 'The service sent no time; a proxy may have removed the header Date.');
  const skew = Math.round((told + 500 - middle) / 1000);
  if (Math.abs(skew) <= maxSkew) return ok('clock', 'both clocks agree');
  const remedy =
    'Let both machines set their clocks by the network (NTP): times such as "today" and "1h" are computed here, records have the service\'s.';
  return warn('clock', `The clock of the service is ${Math.abs(skew)} s ${skew > 0 ? 'ahead' : 'behind'}.`, remedy);
}
