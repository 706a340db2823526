import type { ReactNode } from 'react';
import { Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components';
import { Button, type ButtonProps } from '../button.tsx';
import styles from './menu-button.module.css';

export interface MenuAction {
  readonly id: string;
  readonly title: string;
  readonly onPick: () => void;
}

export interface MenuButtonProps {
  readonly label: string;
  /** What stands on the button; absent: the label. */
  readonly children?: ReactNode;
  readonly kind?: ButtonProps['kind'];
  readonly items: readonly MenuAction[];
}

/** A button that opens a menu of actions. */
export function MenuButton({ label, children = label, kind = 'normal', items }: MenuButtonProps): ReactNode {
  return (
    <MenuTrigger>
      <Button kind={kind} aria-label={label}>
        {children}
      </Button>
      <Popover className={styles['popover'] ?? ''}>
        <Menu className={styles['menu'] ?? ''}>
          {items.map(({ id, title, onPick }) => (
            <MenuItem key={id} id={id} onAction={onPick} className={styles['item'] ?? ''}>
              {title}
            </MenuItem>
          ))}
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}
