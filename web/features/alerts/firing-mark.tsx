import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { formatCount } from '../../lib/format.ts';
import { useFiring } from '../../lib/signed-in.ts';
import styles from './firing-mark.module.css';

/** On every page while alert rules fire: how many, and the way to them. */
export function FiringMark(): ReactNode {
  const firing = useFiring();
  if (firing === 0) return null;
  return (
    <Link to="/alerts" className={styles['mark'] ?? ''}>
      {formatCount(firing)} {firing === 1 ? 'alert' : 'alerts'} firing
    </Link>
  );
}
