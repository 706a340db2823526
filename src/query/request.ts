import type { OrganizationId, RequestId } from '../model/ids.ts';
import type { Statement } from '../sql/statement.ts';
import { condition } from './filter/ast.ts';
import { noFlags } from './plan.ts';
import { pageStatements } from './requests.ts';

/**
 * Statements for one request by its identifier, to be run in order until one gives its `RequestRow`; none does when it does not exist here.
 * It is the page of the filter `request_id equals`, so both find the same record in the same way.
 */
export function requestStatements(tenant: OrganizationId, id: RequestId): readonly Statement[] {
  const filter = condition({ group: 'request_response_rmt', field: 'request_id' }, { family: 'text', operator: 'equals', value: id });
  return pageStatements({
    tenant,
    filter,
    flags: noFlags,
    sort: [{ key: 'created_at', direction: 'desc' }],
    offset: 0,
    limit: 1,
    includeInputs: false,
    unwrappedProperties: false,
  });
}
