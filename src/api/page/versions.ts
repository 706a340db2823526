import { createHash } from 'node:crypto';
import type { Context } from 'hono';
import { z } from 'zod';
import { GatelogError } from '../../model/errors.ts';
import type { OrganizationId } from '../../model/ids.ts';
import type { Headers } from '../http/declared-responses.ts';
import { inSettingTurn } from './setting-turns.ts';

export const versionHeader: Headers = {
  ETag: {
    description: 'The version of what is answered: sent as `If-Match`, a change of it overwrites no other one.',
    schema: { type: 'string' },
  },
};

export const ifMatchSchema = z.object({
  'If-Match': z.string().optional().meta({
    description:
      'The `ETag` of the answer that the change was made from. Once somebody else has changed it, the answer is 409 and nothing is stored.',
  }),
});

/** Says the version of an answer. @param setting what the setting holds, without what changes by itself. */
export function setVersion(context: Context, setting: unknown): void {
  context.header('etag', versionOf(setting));
}

interface VersionedChange<Value> {
  readonly context: Context;
  readonly tenant: OrganizationId;
  /** What the setting holds now, without what changes by itself. */
  readonly present: () => Promise<unknown>;
  readonly change: () => Promise<Value>;
}

/**
 * Changes a setting, unless it has another version than the call names, and says its new version. @throws GatelogError `changed_meanwhile`.
 */
export async function changeVersion<Value>({ context, tenant, present, change }: VersionedChange<Value>): Promise<Value> {
  return inSettingTurn(tenant, async () => {
    const named = context.req.header('if-match');
    if (named !== undefined && !names(named, versionOf(await present()))) throw changedMeanwhile();
    const value = await change();
    // The change is stored, whoever has deleted the setting since.
    const stored = await present().catch(() => undefined);
    if (stored !== undefined) setVersion(context, stored);
    return value;
  });
}

function versionOf(setting: unknown): string {
  return `"${createHash('sha256').update(JSON.stringify(setting)).digest('base64url').slice(0, 22)}"`;
}

/** Whether a list of tags has one. A proxy that compresses answers makes their tags weak. */
function names(list: string, version: string): boolean {
  return list.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === version);
}

function changedMeanwhile(): GatelogError {
  return new GatelogError(
    'changed_meanwhile',
    'Somebody else has changed it since the version that If-Match names. Read it again, and change that.',
    { details: { header: 'if-match' } },
  );
}
