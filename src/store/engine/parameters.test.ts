import { expect, test } from 'vitest';
import { boundQuery } from './parameters.ts';
import { byLength } from '../../../test/support/test-length.ts';

const binding = {
  params: { tenant: '7', names: ["it's", 'a\\b'], number: 1n, flag: true },
  settings: { max_query_size: '100', max_execution_time: 0.5 },
};

test('the embedded engine gets settings in one statement and parameters in a second one, both in front of the query', () => {
  expect(boundQuery('SELECT 1', binding, true)).toEqual({
    query:
      "SET max_query_size = '100', max_execution_time = '0.5'; " +
      "SET param_tenant = '7', param_names = '[\\'it\\\\\\'s\\',\\'a\\\\\\\\b\\']', param_number = '1', param_flag = '1'; SELECT 1",
  });
  expect(boundQuery('SELECT 1', { params: {} }, true)).toEqual({ query: 'SELECT 1' });
});

test('a server gets them beside the query', () => {
  expect(boundQuery('SELECT 1', binding, false)).toEqual({
    query: 'SELECT 1',
    query_params: binding.params,
    clickhouse_settings: binding.settings,
  });
});

test.each([true, false])('a query whose parameter is not given is not run, embedded: %s', (embedded) => {
  const query = 'SELECT 1 FROM requests WHERE org_id = {tenant:UInt128} AND has({names:Array(String)}, name)';
  expect(() => boundQuery(query, { params: { names: ['a'] } }, embedded)).toThrow(
    'The query names the parameter tenant, which is not given.',
  );
  expect(() => boundQuery(query, { params: { tenant: '7', names: ['a'] } }, embedded)).not.toThrow();
});

const marks = byLength(1, 34) * 1024 * 1024;

test(`a text of ${marks} backslashes, which are four times as many in a statement, is written`, { timeout: 120_000 }, () => {
  const { query } = boundQuery('SELECT {a:String}', { params: { a: `é😀${'\\'.repeat(marks)}'` } }, true);
  const start = `SET param_a = 'é😀${'\\'.repeat(8)}`;
  const end = String.raw`\\\\\''; SELECT {a:String}`;
  expect([query.length, query.slice(0, start.length), query.slice(-end.length)]).toEqual([4 * marks + 40, start, end]);
});

test('nothing in a setting ends it, and a name is a name', () => {
  expect(boundQuery('SELECT 1', { params: {}, settings: { log_comment: "a'b\\" } }, true).query).toBe(
    "SET log_comment = 'a\\'b\\\\'; SELECT 1",
  );
  expect(() => boundQuery('SELECT 1', { params: {}, settings: { 'a = 1, b': 1 } }, true)).toThrow(TypeError);
});
