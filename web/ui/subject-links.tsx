import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { searchFor } from '../lib/search-text.ts';

export interface UserLinkProps {
  readonly user: string;
}

/** A user's name, which leads to all that is known of them. */
export function UserLink({ user }: UserLinkProps): ReactNode {
  return (
    <Link to="/users/$userId" params={{ userId: user }} search={{ range: 'all' }} dir="auto" title={`User ${user}`}>
      {user}
    </Link>
  );
}

export interface PropertyLinkProps {
  readonly name: string;
  readonly value: string;
  /** Absent: the value. */
  readonly children?: ReactNode;
}

/** A value of a property, which leads to the requests that have it. */
export function PropertyLink({ name, value, children = value === '' ? 'empty' : value }: PropertyLinkProps): ReactNode {
  const q = searchFor(`properties.${name}`, value);
  if (q === undefined) return children;
  return (
    <Link to="/requests" search={{ q, range: 'all' }} dir="auto" title={`Requests with ${name}: ${value}`}>
      {children}
    </Link>
  );
}
