import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { problemSchema } from '../../contract/problem.ts';
import { doneSchema } from '../../contract/responses.ts';
import { apiKeyAnswerSchema, apiKeysAnswerSchema, issuedApiKeyAnswerSchema } from '../../contract/settings/api-keys.ts';
import { auditAnswerSchema } from '../../contract/audit.ts';
import {
  invitationsAnswerSchema,
  memberAnswerSchema,
  membersAnswerSchema,
  personSessionsAnswerSchema,
} from '../../contract/settings/people.ts';
import { createOrganization } from '../../metadata/organization/organizations.ts';
import type { OrganizationId } from '../../model/ids.ts';
import type { PersonPermissions } from '../../model/people.ts';
import { type ApiRig, checked, keyOf, openApiRig, queryPath } from '../testing/api-harness.ts';
import { StreamReader } from '../testing/event-stream.ts';
import { type SignedInPerson, signedInPerson } from '../testing/people.ts';

let rig: ApiRig;
let theirs: OrganizationId;

beforeAll(async () => {
  // Nobody asks this issuer anything: sessions begin without it.
  rig = await openApiRig(0, { GATELOG_OIDC_ISSUER: 'https://accounts.example.com', GATELOG_OIDC_CLIENT_ID: 'gatelog' });
  const made = await createOrganization(rig.database, 'theirs', 0);
  if (made === 'name_taken') throw new Error('theirs is taken');
  theirs = made.id;
});
afterAll(() => rig.close());

const person = (permissions: PersonPermissions, organizationId?: OrganizationId): Promise<SignedInPerson> =>
  signedInPerson(rig, permissions, organizationId);

const members = async (one: SignedInPerson) => (await checked(await one.call('GET', '/v1/people'), 200, membersAnswerSchema)).data;

const sessions = async (one: SignedInPerson) =>
  (await checked(await one.call('GET', '/v1/people/sessions'), 200, personSessionsAnswerSchema)).data;
const keys = async (one: SignedInPerson) => (await checked(await one.call('GET', '/v1/api-keys'), 200, apiKeysAnswerSchema)).data;
const make = (one: SignedInPerson, body: object) => one.call('POST', '/v1/api-keys', { api_key_name: 'laptop', ...body });
const made = async (one: SignedInPerson, body: object = {}) => (await checked(await make(one, body), 200, issuedApiKeyAnswerSchema)).data;

describe('people of an organisation', () => {
  it('are listed, changed and removed by its administrators', async () => {
    const [lea, ada] = [await person('admin'), await person('r')];
    expect(await members(lea)).toContainEqual(expect.objectContaining({ id: ada.id, permissions: 'r', source: 'invitation' }));
    const changed = await lea.call('PATCH', `/v1/people/${ada.id}`, { permissions: 'rw' });
    expect((await checked(changed, 200, memberAnswerSchema)).data).toMatchObject({ permissions: 'rw', source: 'admin' });
    await checked(await ada.call('GET', '/v1/people'), 403, problemSchema);
    await checked(await lea.call('DELETE', `/v1/people/${ada.id}`), 200, doneSchema);
    expect((await ada.call('POST', queryPath, { filter: 'all' })).status).toBe(401);
  });

  it.each(['r', 'rw', 'w'] as const)('are nothing for a key that may %s', async (permissions) => {
    const key = keyOf(permissions);
    for (const [method, path] of [
      ['GET', '/v1/people'],
      ['GET', '/v1/people/sessions'],
      ['DELETE', '/v1/people/0190b3a4-0000-7000-8000-000000000000'],
      ['GET', '/v1/invitations'],
      ['GET', '/v1/audit'],
      ['GET', '/v1/api-keys'],
    ] as const) {
      const refused = await checked(await rig.call(method, path, { key }), 403, problemSchema);
      expect([method, path, refused.code]).toEqual([method, path, 'permission_denied']);
    }
  });

  it('are never seen or changed by another organisation, nor its invitations, sessions and audit log', async () => {
    const [lea, eve, ada] = [await person('admin'), await person('admin', theirs), await person('r')];
    await lea.call('POST', '/v1/invitations', { permissions: 'r' });
    const ofAda = (await sessions(lea)).find(({ person_id: id }) => id === ada.id);
    expect((await members(eve)).map(({ id }) => id)).toEqual([eve.id]);
    expect((await sessions(eve)).map(({ person_id: id }) => id)).toEqual([eve.id]);
    expect((await checked(await eve.call('GET', '/v1/invitations'), 200, invitationsAnswerSchema)).data).toEqual([]);
    for (const [method, path, body] of [
      ['PATCH', `/v1/people/${ada.id}`, { permissions: 'admin' }],
      ['DELETE', `/v1/people/${ada.id}`, undefined],
      ['DELETE', `/v1/people/sessions/${ofAda?.id}`, undefined],
    ] as const) {
      await checked(await eve.call(method, path, body), 404, problemSchema);
    }
    const seen = (await checked(await eve.call('GET', '/v1/audit'), 200, auditAnswerSchema)).data;
    expect(seen).toEqual([]);
    expect((await checked(await lea.call('GET', '/v1/audit?action=invitePerson'), 200, auditAnswerSchema)).data[0]).toMatchObject({
      who: lea.id,
      key: null,
    });
  });
});

describe('sessions of people', () => {
  it('are one’s own; who administers sees and ends those of the organisation', async () => {
    const [lea, ada, bob] = [await person('admin'), await person('r'), await person('r')];
    const own = await sessions(ada);
    expect(own).toMatchObject([{ person_id: ada.id, address: '192.0.2.1', user_agent: 'a browser' }]);
    expect((await sessions(lea)).map(({ person_id: id }) => id)).toEqual(expect.arrayContaining([lea.id, ada.id, bob.id]));
    await checked(await bob.call('DELETE', `/v1/people/sessions/${own[0]?.id}`), 404, problemSchema);
    await checked(await lea.call('DELETE', `/v1/people/sessions/${own[0]?.id}`), 200, doneSchema);
    expect((await ada.call('GET', '/v1/people/sessions')).status).toBe(401);
  });
});

describe("a person's live stream", () => {
  it('stays open while the session does, and ends with the person', async () => {
    const [lea, ada] = [await person('admin'), await person('r')];
    const viewer = new StreamReader(await ada.call('GET', '/v1/request/stream'));
    await viewer.until(() => viewer.comments.length > 0);
    await checked(await lea.call('DELETE', `/v1/people/${ada.id}`), 200, doneSchema);
    await viewer.untilEnd();
    expect(viewer.end).toMatchObject({ code: 'invalid_key', error: expect.stringContaining('session of this stream has ended') as string });
  });
});

describe("a person's keys", () => {
  it('are made without being an administrator, with no more than the person may', async () => {
    const [reader, writer] = [await person('r'), await person('rw')];
    for (const [one, permissions] of [
      [reader, 'rw'],
      [reader, 'w'],
      [reader, 'admin'],
      [writer, 'admin'],
    ] as const) {
      expect(await checked(await make(one, { key_permissions: permissions }), 403, problemSchema)).toMatchObject({
        code: 'permission_denied',
      });
    }
    const { apiKey } = await made(reader);
    expect((await rig.call('POST', queryPath, { key: apiKey, body: { filter: 'all' } })).status).toBe(200);
    await made(writer, { key_permissions: 'w' });
    await checked(await make(writer, { service: true }), 403, problemSchema);
  });

  it('make no other keys', async () => {
    const { apiKey } = await made(await person('rw'));
    const another = await rig.call('POST', '/v1/api-keys', { key: apiKey, body: { api_key_name: 'x' } });
    expect(await checked(another, 403, problemSchema)).toMatchObject({ code: 'permission_denied' });
  });

  it('are seen, changed and revoked by the person and by administrators', async () => {
    const [lea, ada, bob] = [await person('admin'), await person('rw'), await person('rw')];
    const { id } = await made(ada);
    expect([(await keys(ada)).map((key) => key.id), await keys(bob)]).toEqual([[id], []]);
    expect(await keys(lea)).toContainEqual(expect.objectContaining({ id, person_id: ada.id }));
    await checked(await bob.call('DELETE', `/v1/api-keys/${id}`), 404, problemSchema);
    await checked(await ada.call('PATCH', `/v1/api-keys/${id}`, { key_permissions: 'admin' }), 403, problemSchema);
    await checked(await ada.call('PATCH', `/v1/api-keys/${id}`, { api_key_name: 'desk' }), 200, apiKeyAnswerSchema);
    await checked(await ada.call('DELETE', `/v1/api-keys/${id}`), 200, doneSchema);
  });

  it('are the organisation’s where an administrator says so, or a key of it makes them', async () => {
    const lea = await person('admin');
    const [service, own] = [await made(lea, { service: true }), await made(lea)];
    const byKey = await rig.call('POST', '/v1/api-keys', { key: keyOf('admin'), body: { api_key_name: 'x' } });
    const { id } = (await checked(byKey, 200, issuedApiKeyAnswerSchema)).data;
    const { data } = await checked(await lea.call('GET', '/v1/api-keys'), 200, apiKeysAnswerSchema);
    const owner = (wanted: string) => data.find((key) => key.id === wanted)?.person_id;
    expect([owner(service.id), owner(own.id), owner(id)]).toEqual([null, lea.id, null]);
    const ownless = rig.call('POST', '/v1/api-keys', { key: keyOf('admin'), body: { api_key_name: 'x', service: false } });
    await checked(await ownless, 422, problemSchema);
  });
});

describe('the last administrator', () => {
  beforeEach(async () => {
    await rig.database.queries.deleteFrom('memberships').execute();
    await rig.database.queries.deleteFrom('api_keys').execute();
  });

  it('can be neither removed nor changed', async () => {
    const lea = await person('admin');
    const refused = { error: expect.stringContaining('Nobody else administers') as string };
    expect(await checked(await lea.call('DELETE', `/v1/people/${lea.id}`), 422, problemSchema)).toMatchObject(refused);
    expect(await checked(await lea.call('PATCH', `/v1/people/${lea.id}`, { permissions: 'r' }), 422, problemSchema)).toMatchObject(refused);
    await person('admin');
    await checked(await lea.call('PATCH', `/v1/people/${lea.id}`, { permissions: 'r' }), 200, memberAnswerSchema);
  });
});
