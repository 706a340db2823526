import { constantFrom, property, string } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { alterTable, deleteRows, insertRows, insertSelected, rewriteRows, updateRows } from './commands.ts';
import { identifier } from './identifier.ts';
import { endsInOpenEscape, escapeLike, withEscapedBackslashes } from './like.ts';
import { literal } from './literal.ts';
import { select, unionAll } from './query.ts';
import { join, param, sql } from './sql.ts';
import { compileFor, compileForAll, statementFor, type TenantId } from './statement.ts';
import { acrossOrganizations, bodies, tenantRows, requests, systemRows } from './tables.ts';
import { assert } from '../../test/support/seeded.ts';

const tenant = '00000000-0000-7000-8000-00000000000a' as TenantId;
const organization = String(0x7000_8000_00000000000an);

describe('a fragment', () => {
  test('keeps values out of the text and shares equal ones', () => {
    const model = sql`model = ${param("x' OR 1=1", 'String')}`;
    const query = select({ columns: sql`1`, from: requests(join([model, model], ' OR ')), limit: param(5, 'UInt64') });
    const made = statementFor(tenant, query, 'short');
    expect(made.text).toBe(
      'SELECT 1 FROM requests WHERE org_id = {tenant:UInt128} AND (model = {p0:String} OR model = {p0:String}) LIMIT {p1:UInt64}',
    );
    expect(made.params).toEqual({ p0: "x' OR 1=1", p1: '5', tenant: organization });
  });

  test('does not share values of different types', () => {
    const columns = sql`${param('1', 'String')}, ${param(1, 'Int64')}`;
    const made = statementFor(tenant, select({ columns, from: requests() }), 'short');
    expect(made.params).toEqual({ p0: '1', p1: '1', tenant: organization });
  });

  test('keeps a list under the name that it is given, however often it is mentioned', () => {
    const ids = param([1n, 2n], 'Array(UInt128)', 'ids');
    const made = compileFor(tenant, select({ columns: sql`indexOf(${ids}, request_id)`, from: requests(sql`request_id IN ${ids}`) }));
    expect(made).toEqual({
      text: 'SELECT indexOf({ids:Array(UInt128)}, request_id) FROM requests WHERE org_id = {tenant:UInt128} AND (request_id IN {ids:Array(UInt128)})',
      params: { ids: [1n, 2n], tenant: organization },
    });
    const other = param([3n], 'Array(UInt128)', 'ids');
    expect(() => compileFor(tenant, select({ columns: sql`${ids}, ${other}`, from: requests() }))).toThrow(TypeError);
  });

  test('replaces lone surrogates', () => {
    expect(param('a\uD800b', 'String').value).toBe('a\uFFFDb');
  });

  test('writes large numbers as text and arrays as they are', () => {
    expect(param(1e21, 'Float64').value).toBe('1e+21');
    expect(param(-0, 'Float64').value).toBe('0');
    expect(param([1n, 2n ** 127n], 'Array(UInt128)').value).toEqual([1n, 2n ** 127n]);
  });

  test('of an empty list is empty', () => {
    expect(join([], ', ').pieces).toEqual([]);
  });

  test('may hold literals that look like syntax, sets, and queries', () => {
    const among = select({ columns: sql`a`, from: bodies() });
    const texts = [
      sql`b != ')--;' AND c = 'FROM x'`,
      sql`a IN (1, 2) AND b IN (page.1) AND c NOT IN (arrayMap(x -> x, d))`,
      sql`a IN ${among}`,
    ];
    expect(texts.map(({ pieces }) => pieces.length)).toEqual([1, 1, 3]);
  });

  test.each([
    ['a statement', () => sql`SELECT 1`],
    ['a table', () => sql`1 from requests`],
    ['a join', () => sql`1 JOIN bodies USING a`],
    ['a table function', () => sql`1 FROM merge('.*')`],
    ['a table behind IN', () => sql`a IN bodies`],
    ['a table in parentheses behind IN', () => sql`a IN (bodies)`],
    ['a table in parentheses and spaces behind NOT IN', () => sql`a NOT IN ( bodies )`],
    ['a table in a hole behind IN', () => sql`a IN ${identifier('bodies')}`],
    ['a table in a hole in parentheses behind IN', () => sql`a IN (${identifier('bodies')})`],
    ['a dictionary', () => sql`dictGet('bodies', 'a', 1)`],
    ['a join table', () => sql`joinGet('bodies', 'a', 1)`],
    ['a question whether a table is there', () => sql`EXISTS(bodies)`],
    ['settings', () => sql`1 SETTINGS max_threads = 1`],
    ['a parenthesis too many', () => sql`true) OR (true`],
    ['an open parenthesis', () => sql`(true`],
    ['a comment', () => sql`true -- `],
    ['another comment', () => sql`true /* `],
    ['the end of a statement', () => sql`true; DROP`],
  ])('with %s cannot be built', (_, fragment) => {
    expect(fragment).toThrow(TypeError);
  });
});

describe('a statement of an organisation', () => {
  test('holds every table that it names to it', () => {
    const inner = select({ columns: sql`a`, from: bodies(sql`b`) });
    const query = select({
      with: [sql`${select({ columns: sql`max(number)`, from: tenantRows('session_tags') })} AS latest`],
      columns: sql`1`,
      from: select({ distinct: true, columns: sql`a`, from: requests([sql`a IN ${inner}`, sql`c`]), limit: 1 }),
      where: [sql`a`, sql`b`],
      groupBy: sql`a, b`,
      having: [sql`count() > 1`],
      orderBy: [sql`a DESC`, sql`b`],
    });
    const made = statementFor(tenant, query, 'long');
    expect(made.text).toBe(
      'WITH (SELECT max(number) FROM session_tags WHERE org_id = {tenant:UInt128}) AS latest SELECT 1 FROM (SELECT DISTINCT a FROM requests WHERE org_id = {tenant:UInt128} AND (a IN (SELECT a FROM bodies WHERE org_id = {tenant:UInt128} AND (b)) AND c) LIMIT 1) WHERE a AND b GROUP BY a, b HAVING count() > 1 ORDER BY a DESC, b',
    );
    expect(made.lane).toBe('long');
  });

  test('joins and unites queries', () => {
    const query = select({ columns: sql`a`, from: requests() });
    const joined = select({ columns: sql`a`, from: { kind: 'joined', query, as: 'r', joins: [{ query, as: 'b', using: sql`a` }] } });
    const text = 'SELECT a FROM requests WHERE org_id = {tenant:UInt128}';
    expect(compileFor(tenant, joined).text).toBe(`SELECT a FROM (${text}) AS r ANY LEFT JOIN (${text}) AS b USING (a)`);
    expect(compileFor(tenant, unionAll([query, query])).text).toBe(`(${text}) UNION ALL (${text})`);
  });

  test('changes, deletes and copies rows of it alone', () => {
    const rows = requests(sql`a = 1`);
    const where = 'WHERE org_id = {tenant:UInt128} AND (a = 1)';
    const made = [
      updateRows(rows, [sql`b = 2`, sql`c = 3`]),
      rewriteRows(rows, [sql`b = 2`], { mutations_sync: 0 }),
      deleteRows(rows, { by: 'hiding', settings: { lightweight_delete_mode: 'alter_update' } }),
      deleteRows(rows, { by: 'rewriting', partition: '202611', settings: {} }),
      insertSelected({ table: 'removals', columns: ['org_id'] }, select({ columns: sql`org_id`, from: rows })),
    ].map((command) => compileFor(tenant, command).text);
    expect(made).toEqual([
      `UPDATE requests SET b = 2, c = 3 ${where}`,
      `ALTER TABLE requests UPDATE b = 2 ${where} SETTINGS mutations_sync = 0`,
      `DELETE FROM requests ${where} SETTINGS lightweight_delete_mode = 'alter_update'`,
      `ALTER TABLE requests DELETE IN PARTITION ID '202611' ${where}`,
      `INSERT INTO removals (org_id) SELECT org_id FROM requests ${where}`,
    ]);
  });

  test.each([
    ['without rows of it', () => compileFor(tenant, select({ columns: sql`1` }))],
    ['with rows of others', () => compileFor(tenant, select({ columns: sql`1`, from: requests(sql`a IN ${everything()}`) }))],
    ['of something that is no tenant', () => compileFor('' as TenantId, select({ columns: sql`1`, from: requests() }))],
    ['with a second condition', () => select({ columns: sql`1`, from: requests(), where: [sql`true`] })],
    ['that would change a whole table', () => alterTable(requests(), sql`APPLY PATCHES`)],
    ['that inserts rows of nobody', () => insertRows({ table: 'requests', columns: ['a'], settings: {} }, { format: 'RowBinary' })],
  ])('%s cannot be built', (_, build) => {
    expect(build).toThrow(TypeError);
  });
});

const everything = () => select({ columns: sql`a`, from: acrossOrganizations('requests', 'a test') });

describe('a statement over all organisations', () => {
  test('says so where it names a table', () => {
    const all = acrossOrganizations('requests', 'a test');
    expect(compileForAll(everything())).toEqual({ text: 'SELECT a FROM requests', params: {} });
    expect(compileForAll(alterTable(all, sql`DETACH PART ${literal('a_1')}`)).text).toBe(`ALTER TABLE requests DETACH PART 'a_1'`);
    expect(compileForAll(select({ columns: sql`name`, from: systemRows('parts', [sql`active`]) })).text).toBe(
      'SELECT name FROM system.parts WHERE database = currentDatabase() AND active',
    );
  });

  test.each([
    ['with rows of one', () => compileForAll(select({ columns: sql`1`, from: requests() }))],
    ['that deletes everything', () => deleteRows(acrossOrganizations('requests', 'a test'), { by: 'hiding', settings: {} })],
    ['that changes everything', () => updateRows(acrossOrganizations('requests', 'a test'), [sql`a = 1`])],
  ])('%s cannot be built', (_, build) => {
    expect(build).toThrow(TypeError);
  });
});

test.each([
  ['plain', '`plain`'],
  ['with space', '`with space`'],
  ['back`tick', '`back\\`tick`'],
  ['back\\slash', '`back\\\\slash`'],
])('identifier %s', (name, expected) => {
  expect(identifier(name).pieces).toEqual([expected]);
});

describe('LIKE patterns', () => {
  test.each([
    ['a', false],
    ['a\\', true],
    ['a\\\\', false],
    ['\\\\\\', true],
    ['', false],
  ])('%j ends in an open escape: %s', (pattern, expected) => {
    expect(endsInOpenEscape(pattern)).toBe(expected);
    const many = '\\'.repeat(1_000_000);
    expect(endsInOpenEscape(`${many}x${pattern}`)).toBe(expected);
  });

  test.each([
    [String.raw`a\nb`, String.raw`a\\nb`],
    [String.raw`\\nb`, String.raw`\\nb`],
    [String.raw`\\\n`, String.raw`\\\\n`],
    [String.raw`50\% \_x%_`, String.raw`50\% \_x%_`],
    ['\\😀', '\\\\😀'],
  ])('%j with each literal backslash written as two: %j', (pattern, expected) => {
    expect(withEscapedBackslashes(pattern)).toBe(expected);
  });

  test('an escaped text is never open at its end', () => {
    const text = string({ unit: constantFrom('\\', '%', '_', 'a') });
    expect(() => assert(property(text, (any) => !endsInOpenEscape(escapeLike(any))))).not.toThrow();
  });
});
