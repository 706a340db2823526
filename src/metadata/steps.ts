/**
 * Names of the migrations, in the order of application. They stand apart from what the migrations do, so that a start can see that none is
 * missing without the query builder.
 */
export const metadataSteps: readonly string[] = [
  '0001-first-tables',
  '0002-pending-changes',
  '0003-rate-limits',
  '0004-provider-keys',
  '0005-redaction-rules',
  '0006-organization-prices',
  '0008-retention-and-erasures',
  '0009-believed-time',
  '0010-claims-by-age',
  '0011-erased-users-without-nul',
  '0012-hidden-properties',
  '0013-jobs',
  '0014-webhooks',
  '0015-alert-rules',
  '0016-browser-sessions',
  '0017-enforced-rules',
  '0018-views-and-boards',
  '0019-operator-prices',
  '0020-people',
  '0021-inviters',
  '0022-record-store',
];

/** Names of the migrations of the audit log, for whoever restores a backup. */
export const auditSteps: readonly string[] = ['0001-entries'];
