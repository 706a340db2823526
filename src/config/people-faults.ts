import type { Fault } from './fault.ts';
import { type Settings, variables } from './variables.ts';

type PeopleSettings = Pick<
  Settings,
  'oidcIssuer' | 'oidcClientId' | 'oidcClientSecret' | 'oidcAdmit' | 'oidcRoles' | 'host' | 'publicApiUrl'
>;

const localHost = /^(?:127\.[\d.]+|localhost|\[?::1\]?)$/;

/** Settings of people that are valid one by one and contradict each other. */
export function peopleFaults(config: PeopleSettings): readonly Fault[] {
  const { oidcIssuer, oidcClientId, oidcAdmit, oidcRoles, host, publicApiUrl } = config;
  if (oidcIssuer === undefined) return withoutIssuer(config);
  const faults: Fault[] = [];
  const { protocol, hostname } = new URL(oidcIssuer);
  if (protocol !== 'https:' && !localHost.test(hostname)) {
    faults.push({
      variable: variables.oidcIssuer.name,
      problem: 'is an address without TLS, over which anybody could sign in as anybody',
      remedy: 'write one that starts with https://; plain http is taken on this machine alone',
    });
  }
  if (oidcClientId === undefined) {
    faults.push({
      variable: variables.oidcIssuer.name,
      problem: `is set without ${variables.oidcClientId.name}`,
      remedy: 'write the identifier that the issuer has given this deployment too',
    });
  }
  if (publicApiUrl === undefined && !localHost.test(host)) {
    faults.push({
      variable: variables.oidcIssuer.name,
      problem: 'is set without the address to which the issuer sends browsers back',
      remedy: `write ${variables.publicApiUrl.name}, or ${variables.publicUrl.name} with one listener`,
    });
  }
  if (oidcRoles.length > 0 && oidcAdmit.length === 0) {
    faults.push({
      variable: variables.oidcRoles.name,
      problem: `says nothing as long as ${variables.oidcAdmit.name} admits nobody`,
      remedy: `name there the groups or @domains whose people may sign in`,
    });
  }
  return faults;
}

function withoutIssuer({ oidcClientId, oidcClientSecret, oidcAdmit, oidcRoles }: PeopleSettings): readonly Fault[] {
  const given = [
    oidcClientId !== undefined && variables.oidcClientId,
    oidcClientSecret !== undefined && variables.oidcClientSecret,
    oidcAdmit.length > 0 && variables.oidcAdmit,
    oidcRoles.length > 0 && variables.oidcRoles,
  ].filter((one) => one !== false);
  return given.map(({ name }) => ({
    variable: name,
    problem: `is set without ${variables.oidcIssuer.name}`,
    remedy: 'write the address of the issuer too, or remove it',
  }));
}
