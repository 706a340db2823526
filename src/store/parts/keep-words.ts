import type { OrganizationId } from '../../model/ids.ts';
import { rewriteRows } from '../../sql/commands.ts';
import { select } from '../../sql/query.ts';
import { type Fragment, sql } from '../../sql/sql.ts';
import { compileFor, compileForAll } from '../../sql/statement.ts';
import { allNew, isAllNew } from '../../sql/new-words.ts';
import { acrossOrganizations, tenantRows } from '../../sql/tables.ts';
import type { Connections } from '../engine/connections.ts';
import { readForRemoval, removalSettings, removeRows, type RemovingParts } from './remove-rows.ts';

/**
 * Makes bodies findable by their own words before others of their groups are removed: the index has what a turn repeats by the earlier turn
 * alone. Rows that were being inserted meanwhile are among those that this looks at.
 * @param removed the condition of rows of `bodies` that will be removed. @throws GatelogError when the store fails.
 */
export async function keepWordsOfOthers(parts: RemovingParts, organizationId: OrganizationId, removed: Fragment): Promise<void> {
  const { connections } = parts;
  await whenInserted(connections);
  const hourAndGroup = sql`toStartOfHour(created_at), body_group`;
  const isInGroup = sql`body_group != 0`;
  const groups = select({ distinct: true, columns: hourAndGroup, from: tenantRows('bodies', [isInGroup, sql`(${removed})`]) });
  const beside = [isInGroup, sql`(${hourAndGroup}) IN ${groups}`];
  const others = tenantRows('bodies', [...beside, sql`NOT (${removed})`, sql`NOT ${isAllNew}`]);
  const [found] = await readForRemoval(parts, compileFor(organizationId, select({ columns: sql`1 AS one`, from: others, limit: 1 })));
  if (found === undefined) return;
  const rewriting = rewriteRows(tenantRows('bodies', beside), [sql`new_spans = ${allNew}`], removalSettings);
  await removeRows(parts, 'bodies', compileFor(organizationId, rewriting));
}

/** As {@link keepWordsOfOthers}, after a part has been lost: nobody knows of which groups its rows were. */
export async function keepWordsWithoutPart(connections: Connections): Promise<void> {
  const parts: RemovingParts = { connections, signal: new AbortController().signal };
  await whenInserted(connections);
  const goingOn = acrossOrganizations('bodies', 'a part has rows of many organisations', [sql`body_group != 0`, sql`NOT ${isAllNew}`]);
  const [found] = await readForRemoval(parts, compileForAll(select({ columns: sql`1 AS one`, from: goingOn, limit: 1 })));
  if (found === undefined) return;
  connections.bodies.rewritten.noteAll();
  try {
    await removeRows(parts, 'bodies', compileForAll(rewriteRows(goingOn, [sql`new_spans = ${allNew}`], removalSettings)));
  } finally {
    connections.bodies.rewritten.noteAll();
  }
}

/** Nobody marks rows by a removed one from then on: an insert that began before has ended, and a later one looks at the number of removals. */
async function whenInserted(connections: Connections): Promise<void> {
  connections.bodies.removals += 1;
  await connections.run('insert', async () => undefined);
}
