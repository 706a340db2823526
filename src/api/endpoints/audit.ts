import { z } from 'zod';
import {
  type auditEntrySchema,
  auditAnswerSchema,
  auditExportParametersSchema,
  type auditFormats,
  auditParametersSchema,
} from '../../contract/audit.ts';
import type { AuditPosition, AuditSearch } from '../../audit/search.ts';
import { csvHead, csvLine } from '../../export/csv.ts';
import type { StoredAuditEntry } from '../../model/audit.ts';
import { RawJson } from '../../model/json/raw.ts';
import { type AnswerOf, endpoint, rawEndpoint } from '../endpoint/endpoint.ts';
import type { ApiPorts } from '../endpoint/ports.ts';
import { bodyStream } from '../http/body-stream.ts';
import { cursorHeader } from '../http/declared-responses.ts';
import { endpointOf } from '../http/matched-endpoint.ts';

type Format = (typeof auditFormats)[number];
type Item = AnswerOf<typeof auditEntrySchema>;

const kept =
  'Each answered change, each sign-in and sign-out, and each page or export with bodies is one entry; what was refused is none. Nothing changes an entry, and it is kept for GATELOG_AUDIT_DAYS.';

export const audit = [
  endpoint({
    at: 'GET /v1/audit',
    id: 'searchAuditLog',
    summary: 'Look who has changed, read and signed in',
    text: `Takes the permission \`admin\`. ${kept} A page may be shorter than its limit and not the last; \`svc-next-cursor\` says whether there may be more.`,
    action: 'administer',
    query: auditParametersSchema,
    answer: auditAnswerSchema,
    answered: 'The page, the newest first.',
    headers: cursorHeader,
    errors: [422],
    run: async ({ context, tenant, ports, query }) => {
      const { startDate: fromMs, endDate: toMs, cursor: behind, ...same } = query;
      if (same.limit === 0) return [];
      const { entries, next } = await ports.searchAudit({ organizationId: tenant, ...same, fromMs, toMs, behind });
      if (next !== undefined) context.header('svc-next-cursor', `${next.at}-${next.id}`);
      return entries.map(itemOf);
    },
  }),
  rawEndpoint({
    at: 'GET /v1/audit/export',
    id: 'exportAuditLog',
    summary: 'Export the audit log',
    text: `Takes the permission \`admin\`. ${kept} The newest first. An export that breaks off ends the connection without the end of the response.`,
    action: 'administer',
    query: auditExportParametersSchema,
    answer: {
      description: 'The entries: one JSON object per line, or csv with a line of names.',
      content: {
        'application/x-ndjson': { schema: z.string() },
        'text/csv': { schema: z.string().meta({ description: 'RFC 4180.' }) },
      },
    },
    errors: [422],
    // What people have done is kept as bodies are.
    readsBodies: ({ query }) => ({ filter: query }),
    respond: async ({ context, tenant, ports, query }) => {
      const { startDate: fromMs, endDate: toMs, format, ...same } = query;
      const lines = linesOf(ports, { organizationId: tenant, ...same, fromMs, toMs, limit: pageLength }, format);
      context.header('Content-Type', format === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson');
      context.header('Content-Disposition', `attachment; filename="gatelog-audit.${format}"`);
      const onError = (error: unknown): void =>
        ports.observe({ kind: 'api_failed', endpoint: endpointOf(context) ?? 'none', reason: String(error) });
      return context.body(bodyStream(await lines.next(), lines, { onCancel: () => undefined, onError }));
    },
  }),
];

const pageLength = 1000;
const columns = (['id', 'at', 'who', 'key', 'action', 'target', 'filter', 'address'] as const).map(
  (name) => ({ name, field: name, key: undefined, kind: 'text' }) as const,
);

/** Page after page, so that memory does not grow with the log. */
async function* linesOf({ searchAudit }: Pick<ApiPorts, 'searchAudit'>, search: AuditSearch, format: Format): AsyncGenerator<Uint8Array> {
  const options = { raw: false, bom: false };
  if (format === 'csv') yield Buffer.from(csvHead(columns, options));
  let behind: AuditPosition | undefined;
  do {
    const { entries, next } = await searchAudit({ ...search, behind });
    const items = entries.map(itemOf);
    const lines = items.map((item) => (format === 'csv' ? csvLine(item, columns, options) : `${JSON.stringify(item)}\n`));
    if (lines.length > 0) yield Buffer.from(lines.join(''));
    behind = next;
  } while (behind !== undefined);
}

function itemOf({ id, at, personId, keyId, action, target, filter, address }: StoredAuditEntry): Item {
  const read = filter === null ? null : new RawJson(filter);
  return { id, at: new Date(at).toISOString(), who: personId, key: keyId, action, target, filter: read, address };
}
