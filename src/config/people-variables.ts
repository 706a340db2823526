import type { Variable } from './variable.ts';

export const peopleVariables = {
  oidcIssuer: {
    name: 'GATELOG_OIDC_ISSUER',
    kind: 'url',
    schemes: ['https', 'http'],
    reason:
      'Issuer of accounts with which people sign in by OpenID Connect, as its discovery document names it. Default: none, and people sign in with keys alone.',
  },
  oidcClientId: {
    name: 'GATELOG_OIDC_CLIENT_ID',
    kind: 'word',
    reason: 'Identifier under which the issuer knows this deployment.',
  },
  oidcClientSecret: {
    name: 'GATELOG_OIDC_CLIENT_SECRET',
    kind: 'secret',
    min: 1,
    max: 1024,
    secret: true,
    reason: 'Secret that the issuer has given this deployment. Default: none, for a public client.',
  },
  oidcScopes: {
    name: 'GATELOG_OIDC_SCOPES',
    kind: 'scopes',
    default: 'openid profile email',
    reason:
      'What is asked of the issuer. Some send groups or refresh tokens only for a scope of their own, such as groups or offline_access.',
  },
  oidcGroupsClaim: {
    name: 'GATELOG_OIDC_GROUPS_CLAIM',
    kind: 'word',
    default: 'groups',
    reason: "Claim that lists a person's groups; with dots one inside of another, such as realm_access.roles.",
  },
  oidcAdmit: {
    name: 'GATELOG_OIDC_ADMIT',
    kind: 'admitted',
    default: '',
    reason:
      'Who may sign in without an invitation: groups, and mail domains with @ before them, for example engineering,@example.com. Default: nobody.',
  },
  oidcRoles: {
    name: 'GATELOG_OIDC_ROLES',
    kind: 'roles',
    default: '',
    reason:
      'What people of a group are in an organisation: group=organisation:role, with the roles r, rw and admin; the group * is everybody who is admitted. They win over what an administrator has chosen.',
  },
  personKeyDays: {
    name: 'GATELOG_PERSON_KEY_DAYS',
    kind: 'integer',
    default: '90',
    min: 0,
    max: 3650,
    reason:
      "Days after a person's last sign-in for which keys of that person work; another sign-in makes them work again. The issuer tells nobody who has left, so this bounds how long their keys outlive them. 0: until they are revoked.",
  },
  auditDays: {
    name: 'GATELOG_AUDIT_DAYS',
    kind: 'integer',
    default: '400',
    min: 1,
    max: 3650,
    reason: 'Days for which the audit log keeps who has changed, read and signed in.',
  },
} as const satisfies Readonly<Record<string, Variable>>;
