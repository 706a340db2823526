import { basePath } from '../../lib/base-path.ts';

/** What the address of the audit log says. */
export interface AuditSearch {
  readonly who?: string | undefined;
  readonly action?: string | undefined;
  readonly target?: string | undefined;
  readonly since?: string | undefined;
  readonly before?: string | undefined;
}

const fields = ['who', 'action', 'target', 'since', 'before'] as const;

export function auditSearchOf(given: Readonly<Record<string, unknown>>): AuditSearch {
  const known = fields.flatMap((field) => {
    const value = given[field];
    return typeof value === 'string' && value !== '' ? [[field, value] as const] : [];
  });
  return Object.fromEntries(known);
}

/** Where all entries of a search are, as a file. */
export function exportAddress({ since, before, ...same }: AuditSearch): string {
  const given = Object.entries({ ...same, startDate: since, endDate: before, format: 'csv' }).filter(([, value]) => value !== undefined);
  return `${basePath}/v1/audit/export?${new URLSearchParams(given as [string, string][]).toString()}`;
}
