import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../ingest/testing/ingest-harness.ts';
import { GatelogError } from '../../model/errors.ts';
import { propertyPath } from '../testing/api-harness.ts';
import { type ExportRig, jsonBody, linesOf, openExportRig, time } from './testing/export-harness.ts';

let rig: ExportRig;
beforeAll(async () => {
  rig = await openExportRig();
});
afterAll(async () => rig.close());

describe('while it runs', () => {
  test('requests that arrive or change are neither repeated nor skipped', async () => {
    const { filter, jobId } = await rig.recorded(Array.from({ length: 1200 }, (_, index) => ({ createdAt: time + Math.floor(index / 3) })));
    const response = await rig.exported({ filter, columns: ['request_id'], endDate: time + 1000 });
    const before = await rig.items({ filter, columns: ['request_id'] });
    const reader = response.body?.getReader();
    let text = Buffer.from((await reader?.read())?.value ?? []).toString();
    const [firstOfAll, lastOfAll] = [before[0], before.at(-1)].map((item) => String(item?.['request_id']));
    for (const id of [firstOfAll, lastOfAll]) {
      expect((await rig.call('PUT', propertyPath(String(id)), { body: { Team: 'changed' } })).status).toBe(200);
    }
    const late = [0, 399, 1001].map((after) => ({ requestId: newId(), jobId, createdAt: time + after }));
    await rig.insert(late);
    for (let read = await reader?.read(); read?.done === false; read = await reader?.read()) text += Buffer.from(read.value).toString();
    const ids = linesOf(text).map((item) => item['request_id']);
    expect(new Set(ids).size).toBe(ids.length);
    const seen = new Set(ids);
    expect(before.filter((item) => !seen.has(item['request_id']))).toEqual([]);
    expect(seen.has(late[2]?.requestId)).toBe(false);
  });

  test('a reader that leaves ends it, and its turn is free again', async () => {
    await rig.recorded(Array.from({ length: 2000 }, () => ({ requestBody: jsonBody(`"${'x'.repeat(2000)}"`), sizeBytes: 2000 })));
    // More than an organisation may have at once.
    for (let count = 0; count < 6; count += 1) {
      const response = await rig.exported({ includeBodies: true });
      const reader = response.body?.getReader();
      await reader?.read();
      await reader?.cancel();
    }
    const leaving = new AbortController();
    const response = await rig.call('POST', '/v1/export', { body: { includeBodies: true }, signal: leaving.signal });
    leaving.abort();
    await expect(response.text()).rejects.toThrow('aborted');
    expect(await rig.items({ columns: ['request_id'] })).not.toHaveLength(0);
  });

  test('a fifth export of one organisation waits, and is refused when none ends', async () => {
    await rig.recorded(Array.from({ length: 1000 }, () => ({ requestBody: jsonBody(`"${'x'.repeat(4000)}"`), sizeBytes: 4000 })));
    const open = await Promise.all([1, 2, 3, 4].map(() => rig.exported({ includeBodies: true })));
    const refused = await rig.call('POST', '/v1/export', { body: {} });
    expect(refused.status).toBe(503);
    expect(await refused.text()).toContain('4 exports');
    await Promise.all(open.map(async (response) => response.body?.cancel()));
    await (await rig.exported({})).body?.cancel();
  });

  test('a failure in the middle breaks the answer off and is told to the operator', async () => {
    await rig.recorded(Array.from({ length: 1500 }, () => ({})));
    let reads = 0;
    const api = rig.withPorts({
      run: (statement, signal, options) => {
        reads += 1;
        if (reads > 4) throw new Error('no disk');
        return rig.run(statement, signal, options);
      },
    });
    const response = await rig.call('POST', '/v1/export', { api, body: {} });
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow('no disk');
    expect(rig.observations).toContainEqual({ kind: 'api_failed', endpoint: 'POST /v1/export', reason: 'no disk' });
  });

  test('a page that is too slow is read in smaller parts of time', async () => {
    const { filter } = await rig.recorded(
      Array.from({ length: 50 }, (_, index) => ({ createdAt: Date.UTC(2014, 0) + index * 90_000_000_0 })),
    );
    let slow = 4;
    const api = rig.withPorts({
      run: (statement, signal, options) => {
        if (statement.lane === 'export' && (slow -= 1) >= 0) throw new GatelogError('query_timeout', 'slow');
        return rig.run(statement, signal, options);
      },
    });
    const response = await rig.call('POST', '/v1/export', { api, body: { filter, columns: ['request_id'] } });
    expect(linesOf(await response.text())).toEqual(await rig.items({ filter, columns: ['request_id'] }));
  });

  test('rows and bodies that are too large to be read together are read apart', async () => {
    const text = 'x'.repeat(3_000_000);
    const { filter } = await rig.recorded(
      Array.from({ length: 12 }, (_, index) => ({
        createdAt: time + index,
        properties: new Map(Array.from({ length: 60 }, (_unused, name) => [`name ${name}`, 'v'.repeat(8000)])),
        requestBody: jsonBody(`"${text}"`),
        // Bytes on the wire: it was compressed.
        sizeBytes: 3000,
      })),
    );
    const found = await rig.items({ filter, includeBodies: true });
    expect(found.map((item) => String(item['request_body']).length)).toEqual(Array.from({ length: 12 }, () => text.length));
  });
});
