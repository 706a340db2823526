import type {
  fieldGroups,
  legacyFeedbackFields,
  legacyRequestFields,
  legacyResponseFields,
  mapWrappers,
  requestFields,
  sessionFields,
  sessionPropertyFields,
  userFields,
} from '../../model/vocabulary/fields.ts';
import type { Condition, Filter, OperatorsOf, UserFilter, UsersCondition, ValueOf } from './filter.ts';

/** Fields by the paths that {@link where} takes: `cost`, `session_total_cost`, `properties.Team`, `request.prompt`. */
type Fields = Scalars<typeof requestFields, ''> &
  Scalars<typeof sessionFields, ''> &
  Scalars<typeof legacyRequestFields, 'request.'> &
  Scalars<typeof legacyResponseFields, 'response.'> &
  Scalars<typeof legacyFeedbackFields, 'feedback.'>;

type Scalars<Group, Prefix extends string> = {
  readonly [Field in keyof Group & string as Group[Field] extends { readonly shape: 'map' } ? never : `${Prefix}${Field}`]: Group[Field];
};

/** Fields that hold names, by the begin of their paths. */
type Maps = Named<typeof requestFields, ''> & Named<typeof sessionPropertyFields, 'session.'> & Named<typeof mapWrappers, ''>;

type Named<Group, Prefix extends string> = {
  readonly [Field in keyof Group & string as Group[Field] extends { readonly shape: 'map' } ? `${Prefix}${Field}` : never]: Group[Field];
};

/** The path of a field: its name, with the group in front where it is an older one, and the name of a property or score behind it. */
export type FieldPath = keyof Fields | `${keyof Maps}.${string}`;

type FieldOf<Path> = Path extends keyof Fields
  ? Fields[Path]
  : Path extends `${infer Map extends keyof Maps}.${string}`
    ? Maps[Map]
    : never;

/** Operators of the field at a path. */
export type OperatorOf<Path extends FieldPath> = OperatorsOf<FieldOf<Path>>;

/** A moment may also be a `Date`. */
type Given<Field> = ValueOf<Field> | (Field extends { readonly family: 'timestamp' } ? Date : never);

/** What the field at a path is compared with. */
export type OperandOf<Path extends FieldPath> = Given<FieldOf<Path>>;

/**
 * A condition: `where('cost', 'gt', 0.5)`, `where('properties.Team', 'equals', 'search')`, `where('session_total_cost', 'gte', 10)`,
 * `where('request_created_at', 'gte', new Date(…))`. The types name the fields and each one's operators and values.
 */
export function where<Path extends FieldPath>(field: Path, operator: OperatorOf<Path>, value: OperandOf<Path>): Condition {
  return nested([...placeOf(field), operator], value) as Condition;
}

/** A condition on a user's totals, for queries of users: `whereUser('user_cost', 'gt', 1)`. */
export function whereUser<Field extends keyof typeof userFields>(
  field: Field,
  operator: OperatorsOf<(typeof userFields)[Field]>,
  value: Given<(typeof userFields)[Field]>,
): UsersCondition {
  return nested(['users_view', field, operator], value) as UsersCondition;
}

/** Both bounds are inclusive. */
export function between<Path extends FieldPath>(
  field: 'gte' extends OperatorOf<Path> ? Path : never,
  low: OperandOf<Path>,
  high: OperandOf<Path>,
): Filter {
  return both('and', nested([...placeOf(field), 'gte'], low), nested([...placeOf(field), 'lte'], high)) as Filter;
}

type Absent = undefined | null | false;

/** All of them hold; what is absent is left out, and none at all matches everything. */
export function and(...filters: readonly (Filter | Absent)[]): Filter;
export function and(...filters: readonly (UserFilter | Absent)[]): UserFilter;
export function and(...filters: readonly (UserFilter | Absent)[]): UserFilter {
  const given = filters.filter((filter): filter is UserFilter => !isAbsent(filter) && filter !== 'all');
  return joined('and', given) ?? 'all';
}

/** At least one of them holds. */
export function or(first: Filter, ...others: readonly Filter[]): Filter;
export function or(first: UserFilter, ...others: readonly UserFilter[]): UserFilter;
export function or(first: UserFilter, ...others: readonly UserFilter[]): UserFilter {
  return joined('or', [first, ...others]) ?? first;
}

function isAbsent(filter: UserFilter | Absent): filter is Absent {
  return filter === undefined || filter === null || filter === false;
}

/** A balanced tree, because the depth of a filter is limited. */
function joined(operator: 'and' | 'or', filters: readonly UserFilter[]): UserFilter | undefined {
  if (filters.length < 2) return filters[0];
  const middle = Math.ceil(filters.length / 2);
  const [left, right] = [joined(operator, filters.slice(0, middle)), joined(operator, filters.slice(middle))];
  return left === undefined || right === undefined ? left : (both(operator, left, right) as UserFilter);
}

function both(operator: 'and' | 'or', left: unknown, right: unknown): unknown {
  return { left, operator, right };
}

const groups: ReadonlySet<string> = new Set<keyof typeof fieldGroups>(['request', 'response', 'feedback', 'session']);

/** The keys of a condition: group, field, and the name of a property or score. */
function placeOf(path: string): readonly string[] {
  const dot = path.indexOf('.');
  if (dot === -1) return [path.startsWith('session_') ? 'sessions_request_response_rmt' : 'request_response_rmt', path];
  const [head, rest] = [path.slice(0, dot), path.slice(dot + 1)];
  if (head === 'session') return [head, 'properties', rest.slice('properties.'.length)];
  if (groups.has(head) || head === 'values') return [head, rest];
  return ['request_response_rmt', head, rest];
}

/** TRICKY: a property may have any name, `__proto__` too, which a plain assignment would lose. */
function nested(keys: readonly string[], value: unknown): unknown {
  const plain = value instanceof Date ? value.toISOString() : value;
  return keys.reduceRight<unknown>((inner, key) => Object.fromEntries([[key, inner]]), plain);
}
