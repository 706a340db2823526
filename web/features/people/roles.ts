import type { Member } from '../../../src/client/types/people.ts';

export type Role = Member['permissions'];

export const roleLabels: Readonly<Record<Role, string>> = {
  r: 'read',
  rw: 'read and change',
  admin: 'everything, settings too',
};

export const roleOptions = Object.entries(roleLabels).map(([value, label]) => ({ value: value as Role, label: `${value}: ${label}` }));

export function nameOf({ name, mail, id }: Pick<Member, 'name' | 'mail' | 'id'>): string {
  return name ?? mail ?? id;
}
