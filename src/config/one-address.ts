import type { Fault } from './fault.ts';
import { type Settings, variables } from './variables.ts';

/** Where the gateway is at the one address (`GATELOG_PORT`), behind the base path. */
export const gatewayPath = '/gateway';

type Read = Pick<Settings, 'port' | 'basePath' | 'publicUrl' | 'publicApiUrl' | 'publicGatewayUrl'>;

/** What the one address says of both listeners; with two, what their own settings say. */
export function publicAddresses({ port, basePath, publicUrl, ...own }: Read): Pick<Settings, 'publicApiUrl' | 'publicGatewayUrl'> {
  if (port === undefined || publicUrl === undefined) return { publicApiUrl: own.publicApiUrl, publicGatewayUrl: own.publicGatewayUrl };
  const address = publicUrl.endsWith(basePath) ? publicUrl : publicUrl + basePath;
  return { publicApiUrl: address, publicGatewayUrl: address + gatewayPath };
}

/** Settings of one listener without it, and those of two beside it. */
export function oneAddressFaults(read: Read, environment: Readonly<Record<string, string | undefined>>): readonly Fault[] {
  const isGiven = (name: string): boolean => (environment[name] ?? '') !== '';
  const { port, basePath, publicUrl } = variables;
  if (read.port === undefined) {
    return [basePath.name, publicUrl.name].filter(isGiven).map((variable) => ({
      variable,
      problem: `is for one listener, and ${port.name} is not set`,
      remedy: `set ${port.name} too, or remove it`,
    }));
  }
  const ofTwo = [variables.gatewayPort.name, variables.apiPort.name];
  const replaced = read.publicUrl === undefined ? [] : [variables.publicApiUrl.name, variables.publicGatewayUrl.name];
  const faults = [
    ...ofTwo.map((variable) => [variable, port.name] as const),
    ...replaced.map((variable) => [variable, publicUrl.name] as const),
  ]
    .filter(([variable]) => isGiven(variable))
    .map(([variable, instead]) => ({
      variable,
      problem: `is set beside ${instead}, which stands in its place`,
      remedy: 'remove one of the two',
    }));
  return [...faults, ...pathFaults(read)];
}

/** What stands in front passes the path on, so the public address has the same one. */
function pathFaults({ publicUrl, basePath }: Read): readonly Fault[] {
  const path = publicUrl === undefined ? '/' : new URL(publicUrl).pathname;
  if (path === '/' || path === basePath) return [];
  return [
    {
      variable: variables.publicUrl.name,
      problem: `has the path ${path}, and the listener has ${basePath === '' ? 'none' : basePath}`,
      remedy: `set ${variables.basePath.name} to the same path`,
    },
  ];
}
