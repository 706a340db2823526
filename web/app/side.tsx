import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { basePath } from '../lib/base-path.ts';
import { callerName, useSignedIn } from '../lib/signed-in.ts';
import { applyTheme, storedTheme, themeLabels, themes } from '../lib/theme.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { Select } from '../ui/select.tsx';
import { Organization } from './organization.tsx';
import { pageGroups } from './pages.ts';
import styles from './side.module.css';
import type { PageSearch } from './use-page-search.ts';

export interface SideProps {
  readonly pageSearch: PageSearch;
  readonly onSignOut: () => void;
  /** After a link was followed. */
  readonly onLeave?: () => void;
}

/** The ways to all pages and to the documentation, and who is signed in. */
export function Side({ pageSearch, onSignOut, onLeave }: SideProps): ReactNode {
  return (
    <>
      <nav aria-label="Pages" className={styles['pages']}>
        {pageGroups.map(({ title, pages }) => (
          <section key={title} aria-label={title}>
            <p className={styles['group']}>{title}</p>
            <ul>
              {pages.map((page) => (
                <li key={page.to}>
                  <Link
                    to={page.to}
                    search={pageSearch(page)}
                    className={styles['page'] ?? ''}
                    activeProps={{ 'aria-current': 'page' }}
                    activeOptions={{ exact: page.to === '/', includeSearch: false }}
                    onClick={onLeave}
                  >
                    <Icon name={page.icon} />
                    {page.title}
                  </Link>
                </li>
              ))}
            </ul>
          </section>
        ))}
        <section aria-label="Help">
          <ul>
            <li>
              <a href={`${basePath}/docs/guides`} className={styles['page'] ?? ''}>
                <Icon name="docs" />
                Documentation
              </a>
            </li>
            <li>
              <Link to="/start" className={styles['page'] ?? ''} activeProps={{ 'aria-current': 'page' }} onClick={onLeave}>
                <Icon name="start" />
                First call
              </Link>
            </li>
          </ul>
        </section>
      </nav>
      <Account onSignOut={onSignOut} />
    </>
  );
}

function Account({ onSignOut }: Pick<SideProps, 'onSignOut'>): ReactNode {
  const signedIn = useSignedIn();
  const [theme, setTheme] = useState(storedTheme);
  return (
    <footer className={styles['account']}>
      <Organization />
      <p className="clip muted" title={callerName(signedIn)}>
        {callerName(signedIn)} · {signedIn.key_permissions}
      </p>
      <Select
        label="Theme"
        value={theme}
        options={themes.map((value) => ({ value, label: themeLabels[value] }))}
        onChange={(value) => {
          applyTheme(value);
          setTheme(value);
        }}
      />
      <Button kind="quiet" onPress={onSignOut}>
        <Icon name="signOut" />
        Sign out
      </Button>
    </footer>
  );
}
