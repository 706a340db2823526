import { expect, test } from 'vitest';
import type { ListedRequest } from '../../model/jobs/job.ts';
import type { OrganizationId, RequestId } from '../../model/ids.ts';
import type { CompiledSql } from '../../sql/statement.ts';
import { requests } from '../../sql/tables.ts';
import { sql } from '../../sql/sql.ts';
import { type JobKey, listedCount, listStatement, nextListed, requestsChangedBy } from './list.ts';
import { bulkUpdateStatement, historyStatement, rowsStatement, sessionChangesStatement, sizesStatement } from './statements.ts';

const job: JobKey = {
  organizationId: '00000000-0000-7000-8000-00000000000a' as OrganizationId,
  number: 1000,
  startedAt: 1_700_000_000_123,
};
const at = (index: number): ListedRequest => ({
  requestId: `00000000-0000-7000-8000-00000000000${index}` as RequestId,
  createdAt: 1_600_000_000_000 + index,
});
const two = [at(1), at(2)];

const statements: Readonly<Record<string, CompiledSql>> = {
  'list what matches': listStatement(job, requests(sql`cached`)),
  'list what another job changed': listStatement(job, requestsChangedBy({ number: 900, startedAt: 1_690_000_000_000 })),
  count: listedCount(job),
  first: nextListed(job, null, 2000),
  next: nextListed(job, at(2), 2000),
  sizes: sizesStatement(job, two, 1000),
  rows: rowsStatement(job, two, ['Team', "it's"], 1000),
  history: historyStatement(job, two, 900),
  'changes of sessions': sessionChangesStatement(job, [1001n]),
  'the same for all': bulkUpdateStatement(
    job,
    two.map((request) => ({ request, writes: new Map([['Team', 'ads']]) })),
  ),
  'the same for all, with a removal': bulkUpdateStatement(
    job,
    two.map((request) => ({
      request,
      writes: new Map([
        ['Draft', null],
        ['Svc-Session-Id', 's'],
      ]),
    })),
  ),
  'one thing for each': bulkUpdateStatement(job, [
    { request: at(1), writes: new Map([['Team', 'a']]) },
    { request: at(2), writes: new Map([['Team', null]]) },
  ]),
};

test('golden: every statement of a bulk change', async () => {
  const lines = Object.entries(statements).flatMap(([name, { text, params }]) => [
    `-- ${name}`,
    text,
    `-- ${JSON.stringify(params, (_key, value: unknown) => (typeof value === 'bigint' ? value.toString() : value))}`,
    '',
  ]);
  await expect(lines.join('\n')).toMatchFileSnapshot('./__fixtures__/bulk-statements.sql');
});

test('every statement is held to its organisation', () => {
  for (const { text, params } of Object.values(statements)) {
    expect(params).toMatchObject({ tenant: '528914269453437118709770' });
    for (const [, table] of text.matchAll(/\b(?:FROM|UPDATE) ([a-z_]+)\b/g)) {
      expect(text).toMatch(new RegExp(`${table} (?:SET .*)?WHERE org_id = \\{tenant:UInt128\\}`, 's'));
    }
  }
});
