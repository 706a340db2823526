import type { Generated, Selectable } from 'kysely';
import type { JobKind, JobState } from '../model/jobs/job.ts';
import type { ChangeKind } from '../model/change.ts';
import type { ErasureStage } from '../model/erasure.ts';
import type { KeyPermissions } from '../model/principal.ts';

/** Times are Unix milliseconds, identifiers lower-case UUIDs, flags 0 or 1. */
export interface MetadataTables {
  readonly schema_migrations: SchemaMigrationsTable;
  readonly organizations: OrganizationsTable;
  readonly api_keys: ApiKeysTable;
  readonly property_declarations: PropertyDeclarationsTable;
  readonly hidden_properties: HiddenPropertiesTable;
  readonly request_id_claims: RequestIdClaimsTable;
  readonly pending_changes: PendingChangesTable;
  readonly rate_limits: RateLimitsTable;
  readonly provider_keys: ProviderKeysTable;
  readonly redaction_rules: RedactionRulesTable;
  readonly organization_prices: OrganizationPricesTable;
  readonly retention: RetentionTable;
  readonly erasures: ErasuresTable;
  readonly erased_exchanges: ErasedExchangesTable;
  readonly believed_time: TrustedTimeTable;
  readonly jobs: JobsTable;
}

interface SchemaMigrationsTable {
  name: string;
  applied_at: number;
}

interface OrganizationsTable {
  id: string;
  name: string;
  created_at: number;
}

interface ApiKeysTable {
  id: string;
  organization_id: string;
  name: string;
  /** SHA-256 of the key, hexadecimal. */
  key_hash: string;
  /** The key's first characters, for people. */
  prefix: string;
  permissions: KeyPermissions;
  created_at: number;
  revoked_at: number | null;
}

interface PropertyDeclarationsTable {
  organization_id: string;
  name: string;
  lower_name: string;
  hidden: number;
  declared_at: number;
}

interface HiddenPropertiesTable {
  organization_id: string;
  name: string;
  hidden_at: number;
}

interface RequestIdClaimsTable {
  organization_id: string;
  request_id: string;
  claimed_at: number;
}

interface PendingChangesTable {
  seq: Generated<number>;
  organization_id: string;
  request_id: string;
  kind: ChangeKind;
  /** JSON object: of name to value, for a feedback of `rating`. */
  content: string;
  key_id: string;
  accepted_at: number;
  /** The number of the accepted change. */
  number: number;
}

interface RateLimitsTable {
  organization_id: string;
  /** JSON array of `{policy, keyId}`. */
  limits: string;
  changed_at: number;
}

interface ProviderKeysTable {
  id: string;
  organization_id: string;
  provider: string;
  name: string | null;
  /** Encrypted with a key that is not in this database. */
  sealed: string;
  hint: string | null;
  created_at: number;
}

interface RedactionRulesTable {
  organization_id: string;
  /** JSON array of rules. */
  rules: string;
  changed_at: number;
}

interface OrganizationPricesTable {
  organization_id: string;
  /** JSON array of `StoredPrice`. */
  prices: string;
  changed_at: number;
}

export type ProviderKeyRow = Selectable<ProviderKeysTable>;
interface RetentionTable {
  organization_id: string;
  days: number;
  changed_at: number;
}

export interface ErasuresTable {
  number: Generated<number>;
  organization_id: string;
  user_id: string;
  erased_at: number;
  stage: ErasureStage;
  requests: Generated<number>;
  bodies: Generated<number>;
  cache_entries: Generated<number>;
  spool_records: Generated<number>;
  dead_letters: Generated<number>;
  blobs: Generated<number>;
}

interface ErasedExchangesTable {
  erasure: number;
  organization_id: string;
  request_id: string;
}

interface TrustedTimeTable {
  number: number;
  believed_at: number;
}

export interface JobsTable {
  seq: Generated<number>;
  id: string;
  organization_id: string;
  key_id: string;
  kind: JobKind;
  /** JSON of the order; `{}` for an undo. */
  content: string;
  undoes: string | null;
  state: JobState;
  created_at: number;
  number: number | null;
  started_at: number | null;
  ended_at: number | null;
  total: number | null;
  changed: Generated<number>;
  unchanged: Generated<number>;
  changed_since: Generated<number>;
  refused: Generated<number>;
  gone: Generated<number>;
  reached_at: number | null;
  reached_id: string | null;
  error: string | null;
}

export type ApiKeyRow = Selectable<ApiKeysTable>;
