import { describe, expect, it, test } from 'vitest';
import { faultSentence, loadConfig } from './load.ts';

const issuer = { GATELOG_OIDC_ISSUER: 'https://accounts.example.com', GATELOG_OIDC_CLIENT_ID: 'gatelog' };

/** Sentences on what is wrong. */
function faultsOf(environment: Readonly<Record<string, string>>): readonly string[] {
  const loaded = loadConfig(environment);
  return 'faults' in loaded ? loaded.faults.map(faultSentence) : [];
}

test('roles are read as group=organisation:role; a group may have = and :, an organisation a colon', () => {
  const loaded = loadConfig({
    ...issuer,
    GATELOG_OIDC_ADMIT: 'a,@Example.com',
    GATELOG_OIDC_ROLES: 'a=default:rw, cn=x:y=team a:admin ,*=default:r',
  });
  if ('faults' in loaded) throw new Error(JSON.stringify(loaded.faults));
  expect(loaded.config.oidcAdmit).toEqual(['a', '@example.com']);
  expect(loaded.config.oidcRoles).toEqual([
    { group: 'a', organization: 'default', permissions: 'rw' },
    { group: 'cn=x:y', organization: 'team a', permissions: 'admin' },
    { group: '*', organization: 'default', permissions: 'r' },
  ]);
});

describe('settings of people that contradict each other are told with what to do', () => {
  it.each<readonly [string, Readonly<Record<string, string>>, RegExp]>([
    [
      'an issuer without a client',
      { GATELOG_OIDC_ISSUER: 'https://a.example' },
      /GATELOG_OIDC_ISSUER is set without GATELOG_OIDC_CLIENT_ID/,
    ],
    ['a client without an issuer', { GATELOG_OIDC_CLIENT_ID: 'x' }, /GATELOG_OIDC_CLIENT_ID is set without GATELOG_OIDC_ISSUER/],
    ['an issuer without TLS', { ...issuer, GATELOG_OIDC_ISSUER: 'http://accounts.example.com' }, /without TLS/],
    ['an issuer that cannot send browsers back', { ...issuer, GATELOG_HOST: '0.0.0.0' }, /without the address to which the issuer/],
    ['roles of people whom nobody admits', { ...issuer, GATELOG_OIDC_ROLES: 'a=default:r' }, /admits nobody/],
    ['a role that there is not', { ...issuer, GATELOG_OIDC_ADMIT: 'a', GATELOG_OIDC_ROLES: 'a=default:w' }, /not group=organisation:role/],
    ['a domain that is none', { ...issuer, GATELOG_OIDC_ADMIT: '@example' }, /not the domain of a mail address/],
    ['scopes without openid', { ...issuer, GATELOG_OIDC_SCOPES: 'profile' }, /does not name the scope openid/],
  ])('%s', (_what, environment, sentence) => {
    expect(faultsOf(environment)).toEqual([expect.stringMatching(sentence)]);
  });

  it('none: an issuer on this machine may do without TLS', () => {
    expect(faultsOf({ ...issuer, GATELOG_OIDC_ISSUER: 'http://127.0.0.1:9000' })).toEqual([]);
  });

  it('the secret of the client is in no sentence', () => {
    expect(faultsOf({ GATELOG_OIDC_CLIENT_SECRET: 'very secret' }).join(' ')).not.toContain('very');
  });
});
