import { v7 } from 'uuid';
import type { Account } from '../../model/people.ts';
import type { MetadataQueries } from '../database.ts';

/** A person as stored. Times are Unix milliseconds. */
export interface Person extends Account {
  readonly id: string;
  readonly createdAt: number;
  readonly signedInAt: number;
}

/** Stores what the issuer says of a person who signs in. @param at Unix milliseconds. */
export async function keepAccount({ queries }: MetadataQueries, account: Account, at: number): Promise<Person> {
  const { issuer, subject, name, mail } = account;
  const row = await queries
    .insertInto('people')
    .values({ id: v7(), issuer, subject, name, mail, created_at: at, signed_in_at: at })
    .onConflict((conflict) => conflict.columns(['issuer', 'subject']).doUpdateSet({ name, mail, signed_in_at: at }))
    .returningAll()
    .executeTakeFirstOrThrow();
  return { id: row.id, issuer, subject, name, mail, createdAt: row.created_at, signedInAt: row.signed_in_at };
}

/** @returns undefined for an unknown identifier. */
export async function findPerson({ queries }: MetadataQueries, id: string): Promise<Person | undefined> {
  const row = await queries.selectFrom('people').selectAll().where('id', '=', id).executeTakeFirst();
  if (row === undefined) return undefined;
  const { created_at: createdAt, signed_in_at: signedInAt, ...same } = row;
  return { ...same, createdAt, signedInAt };
}

/** Forgets somebody who came for the first time and was not let in. */
export async function forgetStranger({ queries }: MetadataQueries, id: string): Promise<void> {
  const members = queries.selectFrom('memberships').select('person_id');
  const isNew = queries.deleteFrom('people').where('id', '=', id).whereRef('created_at', '=', 'signed_in_at');
  await isNew.where('id', 'not in', members).execute();
}
