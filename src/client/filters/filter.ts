import type { FieldDefinition, fieldGroups, mapWrappers, userFields } from '../../model/vocabulary/fields.ts';
import type { OperatorFamily, operatorFamilies } from '../../model/vocabulary/operators.ts';

/**
 * A filter as JSON: everything (`'all'` or `{}`), a condition, or a branch of two filters. `where`, `and` and `or` write one.
 */
export type Filter = 'all' | Readonly<Record<string, never>> | Condition | Branch<Filter>;

/** A filter of users: as {@link Filter}, with conditions on a user's totals. */
export type UserFilter = Filter | UsersCondition | Branch<UserFilter>;

export interface Branch<Side> {
  readonly left: Side;
  readonly operator: 'and' | 'or';
  readonly right: Side;
}

/** One field of one group with one operator. */
export type Condition = OneOf<{ readonly [Group in keyof Groups]: OneOf<Groups[Group]> } & Maps>;

/** The same, on a user's totals. */
export interface UsersCondition {
  readonly users_view: OneOf<{ readonly [Field in keyof typeof userFields]: Conditions<(typeof userFields)[Field]> }>;
}

type Groups = {
  readonly [Group in keyof typeof fieldGroups]: {
    readonly [Field in keyof (typeof fieldGroups)[Group]]: Conditions<(typeof fieldGroups)[Group][Field]>;
  };
};

type Maps = { readonly [Wrapper in keyof typeof mapWrappers]: Conditions<(typeof mapWrappers)[Wrapper]> };

type Conditions<Field> = Field extends { readonly shape: 'map' } ? Readonly<Record<string, Comparison<Field>>> : Comparison<Field>;

/** One operator with its value, as the field's family has them. */
export type Comparison<Field> = OneOf<{ readonly [Operator in OperatorsOf<Field>]: ValueOf<Field> }>;

/** Operators of a field. */
export type OperatorsOf<Field> = Field extends { readonly shape: 'key' }
  ? 'equals'
  : Field extends { readonly family: infer Family extends OperatorFamily }
    ? (typeof operatorFamilies)[Family][number]
    : never;

/** What a field is compared with. A timestamp is ISO 8601 or Unix milliseconds. */
export type ValueOf<Field> = Field extends { readonly family: infer Family extends FieldDefinition['family'] }
  ? FamilyValues[Family]
  : never;

interface FamilyValues {
  readonly text: string;
  readonly number: number;
  readonly timestamp: string | number;
  readonly boolean: boolean;
}

/** An object with exactly one of these members. */
type OneOf<Members> = {
  readonly [Name in keyof Members]: { readonly [Own in Name]: Members[Own] } & { readonly [Other in Exclude<keyof Members, Name>]?: never };
}[keyof Members];
