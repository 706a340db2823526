import type { StoredLimit } from '../../../metadata/organization/rate-limits.ts';

export function shownLimit({ policy, keyId, rule }: StoredLimit) {
  return { policy, key_id: keyId, ...(rule === undefined ? {} : { alert_id: rule.id, alert_name: rule.name }) };
}
