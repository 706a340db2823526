import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RequestId } from '../model/ids.ts';
import type { Connections } from './connections.ts';
import { makeInsertRows } from './insert.ts';
import { createdAt, nastyTexts, openStoreRig, requestLine, type StoreRig, tenant } from './store-rig.ts';
import { makeUpdateProperties, type PropertyUpdate } from './update.ts';

let rig: StoreRig;
beforeAll(async () => {
  rig = await openStoreRig();
});
afterAll(async () => rig.close());

async function storedMany(count: number, properties: Record<string, string> = {}): Promise<RequestId[]> {
  const rows = Array.from({ length: count }, () => requestLine({ properties }));
  await makeInsertRows(rig.connections)('requests', rows.map(({ line }) => line).join('\n'), `stored-${rows[0]?.id}`);
  return rows.map(({ id }) => id);
}

async function stored(properties: Record<string, string> = {}): Promise<RequestId> {
  const [id] = await storedMany(1, properties);
  if (id === undefined) throw new Error('nothing was stored');
  return id;
}

async function propertiesOf(id: RequestId): Promise<Readonly<Record<string, string>> | undefined> {
  const rows = await rig.run<{ properties: Record<string, string> }>(`SELECT properties FROM requests WHERE id_text = '${id}'`);
  return rows[0]?.properties;
}

const update = (id: RequestId, properties: ReadonlyMap<string, string>): PropertyUpdate => ({
  organizationId: tenant,
  requestId: id,
  createdAt,
  properties,
});

describe('an update of properties', () => {
  test('takes any name and value', async () => {
    const id = await stored({ kept: 'k' });
    const nasty = [...nastyTexts, '__proto__', 'constructor'];
    const properties = new Map(nasty.map((text, index) => [text, nasty[nasty.length - 1 - index] ?? '']));
    await makeUpdateProperties(rig.connections)(update(id, properties));
    const found = await propertiesOf(id);
    expect(new Map(Object.entries(found ?? {}))).toEqual(new Map([['kept', 'k'], ...properties]));
  });

  test('of many at once takes few statements, and each gets its own', async () => {
    const many = await storedMany(60);
    let statements = 0;
    const counted: Connections = {
      ...rig.connections,
      run: (lane, work) => {
        statements += 1;
        return rig.connections.run(lane, work);
      },
    };
    const updateProperties = makeUpdateProperties(counted);
    await Promise.all(many.flatMap((id) => ['a', 'b'].map((name) => updateProperties(update(id, new Map([[name, `${name} of ${id}`]]))))));
    expect(statements).toBeLessThanOrEqual(3);
    for (const id of many.slice(0, 5)) expect(await propertiesOf(id)).toEqual({ a: `a of ${id}`, b: `b of ${id}` });
  });

  test('of one name several times at once: the last one wins', async () => {
    const id = await stored();
    const updateProperties = makeUpdateProperties(rig.connections);
    await Promise.all(['1', '2', '3', '4'].map((value) => updateProperties(update(id, new Map([['n', value]])))));
    expect(await propertiesOf(id)).toEqual({ n: '4' });
  });

  test('of large values is spread over several statements', async () => {
    const large = new Map(Array.from({ length: 64 }, (_, index) => [`n${index}`, 'v'.repeat(8192)]));
    const several = await storedMany(12);
    const sizes: number[] = [];
    const updateProperties = makeUpdateProperties({
      ...rig.connections,
      run: (lane, work) => {
        sizes.push(1);
        return rig.connections.run(lane, work);
      },
    });
    await Promise.all(several.map((id) => updateProperties(update(id, large))));
    expect(sizes.length).toBeGreaterThan(2);
    expect(Object.keys((await propertiesOf(several[11] ?? ('' as RequestId))) ?? {})).toHaveLength(64);
  });

  test('that fails fails for its callers, and the next one goes on', async () => {
    const id = await stored();
    let fails = true;
    const updateProperties = makeUpdateProperties({
      ...rig.connections,
      run: (lane, work) => (fails ? Promise.reject(new Error('away')) : rig.connections.run(lane, work)),
    });
    await expect(updateProperties(update(id, new Map([['a', '1']])))).rejects.toMatchObject({ code: 'store_unavailable' });
    fails = false;
    await updateProperties(update(id, new Map([['a', '2']])));
    expect(await propertiesOf(id)).toEqual({ a: '2' });
  });
});
