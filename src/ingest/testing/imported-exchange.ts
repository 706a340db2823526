import type { OrganizationId, RequestId } from '../../model/ids.ts';

/** A line of an import as an exchange of the spool. */
export function importedExchange(id: string, line: string) {
  const open = {
    version: 1,
    requestId: id as RequestId,
    organizationId: id as OrganizationId,
    keyHash: '',
    openedAt: 0,
    method: '',
    path: '',
    provider: 'custom',
    targetUrl: '',
    headers: {},
    tags: { properties: [] },
    imported: { at: 0, feedbackNumber: 1 },
  } as const;
  const parts = { responseHead: undefined, responseBody: Buffer.alloc(0), responseParts: undefined, end: undefined };
  return { open, requestBody: Buffer.from(line), ...parts };
}
