import type { Generated, Selectable } from 'kysely';
import type { JobKind, JobState } from '../../model/jobs/job.ts';
import type { ChangeKind } from '../../model/change.ts';
import type { ViewPage } from '../../model/dashboard/view.ts';
import type { DisabledReason } from '../../model/events/webhook.ts';
import type { MembershipSource, PersonPermissions } from '../../model/people.ts';
import type { KeyPermissions } from '../../model/principal.ts';

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
  readonly operator_prices: OperatorPricesTable;
  readonly retention: RetentionTable;
  readonly erasures: ErasuresTable;
  readonly erased_exchanges: ErasedExchangesTable;
  readonly believed_time: TrustedTimeTable;
  readonly record_store: RecordStoreTable;
  readonly jobs: JobsTable;
  readonly alert_rules: AlertRulesTable;
  readonly alert_offers: AlertOffersTable;
  readonly webhooks: WebhooksTable;
  readonly browser_sessions: BrowserSessionsTable;
  readonly people: PeopleTable;
  readonly memberships: MembershipsTable;
  readonly invitations: InvitationsTable;
  readonly person_sessions: PersonSessionsTable;
  readonly saved_views: SavedViewsTable;
  readonly boards: BoardsTable;
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
  /** Whose it is; null: the organisation's. */
  person_id: string | null;
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

interface OperatorPricesTable {
  /** 1: there is one row. */
  id: number;
  /** JSON array of `PriceLine`. */
  prices: string;
  /** Increases with every change; about its time. */
  version: number;
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

/** Names that files have: they stay when the code's names change. */
export type StoredErasureStage = 'ordered' | 'counted' | 'awaited' | 'listed' | 'removed' | 'weighed' | 'forgotten' | 'recounted' | 'done';

export interface ErasuresTable {
  number: Generated<number>;
  organization_id: string;
  user_id: string;
  erased_at: number;
  stage: StoredErasureStage;
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

interface RecordStoreTable {
  number: number;
  store_id: string;
  /** `embedded`, or the hosts of the servers. */
  location: string;
  since: number;
  /** 0: they were never moved. */
  move: number;
  moving_to: string | null;
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

export interface WebhooksTable {
  id: string;
  organization_id: string;
  name: string | null;
  destination: string;
  /** JSON object: filter, sample rate and events. */
  config: string;
  include_data: number;
  /** Its secret, encrypted with a key that is not in this database. */
  sealed: string;
  /** The secret before the last rotation, which also signs until its end. */
  previous_sealed: string | null;
  previous_ends_at: number | null;
  /** Number of the order of storage. */
  starts_after: number;
  disabled_at: number | null;
  disabled_reason: DisabledReason | null;
  created_at: number;
  changed_at: number;
}

export interface AlertRulesTable {
  id: string;
  organization_id: string;
  /** Unique in the organisation. */
  name: string;
  /** JSON of the rule, in the API's shape. */
  rule: string;
  /** JSON array of channels, with their secrets encrypted. */
  channels: string;
  /** A policy of `model/limit-policy.ts`. */
  limit_policy: string | null;
  offered: number;
  created_at: number;
  changed_at: number;
}

interface AlertOffersTable {
  organization_id: string;
  offered_at: number;
}

interface BrowserSessionsTable {
  token_hash: string;
  key_hash: string;
  created_at: number;
  expires_at: number;
}

export interface PeopleTable {
  id: string;
  /** With `subject` unique. */
  issuer: string;
  subject: string;
  name: string | null;
  mail: string | null;
  created_at: number;
  signed_in_at: number;
}

export interface MembershipsTable {
  person_id: string;
  organization_id: string;
  permissions: PersonPermissions;
  source: MembershipSource;
  created_at: number;
}

export interface InvitationsTable {
  id: string;
  organization_id: string;
  token_hash: string;
  permissions: PersonPermissions;
  mail: string | null;
  created_at: number;
  expires_at: number;
  used_at: number | null;
  /** Identifier of the person. */
  used_by: string | null;
  /** Identifier of the person; null: by a key of the organisation. */
  invited_by: string | null;
}

export interface PersonSessionsTable {
  id: string;
  token_hash: string;
  person_id: string;
  organization_id: string;
  created_at: number;
  seen_at: number;
  /** When the issuer last told the person's groups. */
  checked_at: number;
  expires_at: number;
  address: string | null;
  user_agent: string | null;
  /** Tokens of the issuer, encrypted with a key that is not in this database. */
  sealed: string | null;
}

export interface SavedViewsTable {
  id: string;
  organization_id: string;
  page: ViewPage;
  /** Unique among the views of the page. */
  name: string;
  /** JSON object. */
  search: string;
  created_at: number;
  changed_at: number;
}

export interface BoardsTable {
  id: string;
  organization_id: string;
  /** Unique in the organisation. */
  name: string;
  /** JSON object, in the API's shape. */
  time_range: string;
  /** JSON array, in the API's shape. */
  panels: string;
  panel_count: number;
  version: number;
  created_at: number;
  changed_at: number;
}

export type ApiKeyRow = Selectable<ApiKeysTable>;
