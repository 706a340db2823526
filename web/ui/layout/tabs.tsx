import type { ReactNode } from 'react';
import { Tab, TabList, TabPanel, Tabs as AriaTabs } from 'react-aria-components';
import styles from './tabs.module.css';

export interface TabsProps<Id extends string> {
  readonly label: string;
  readonly selected: Id;
  readonly onSelect: (id: Id) => void;
  readonly tabs: readonly { readonly id: Id; readonly title: string; readonly content: () => ReactNode }[];
}

/** Views of one thing, of which one is shown. The selected tab belongs into the address. */
export function Tabs<Id extends string>({ label, selected, onSelect, tabs }: TabsProps<Id>): ReactNode {
  const select = (key: unknown): void => {
    const found = tabs.find(({ id }) => id === key);
    if (found !== undefined) onSelect(found.id);
  };
  return (
    <AriaTabs className={styles['tabs'] ?? ''} selectedKey={selected} onSelectionChange={select}>
      <TabList className={styles['list'] ?? ''} aria-label={label}>
        {tabs.map(({ id, title }) => (
          <Tab key={id} id={id} className={styles['tab'] ?? ''}>
            {title}
          </Tab>
        ))}
      </TabList>
      {tabs.map(({ id, content }) => (
        <TabPanel key={id} id={id} className={styles['panel'] ?? ''}>
          {content()}
        </TabPanel>
      ))}
    </AriaTabs>
  );
}
