/** Light and dark theme: the system's choice until the user chooses here. */
import { useState } from 'react';
import { useCommands } from '../palette/commands.ts';
import { Moon, Sun } from './icons.tsx';

type Theme = 'light' | 'dark';

export function ThemeSwitch() {
  const [theme, setTheme] = useState<Theme>(current);
  const other = theme === 'dark' ? 'light' : 'dark';
  const change = () => {
    document.documentElement.dataset.theme = other;
    storeTheme(other);
    setTheme(other);
  };
  useCommands([{ title: `Switch to the ${other} theme`, group: 'Page', isEverywhere: true, act: change }]);
  return (
    <button type="button" className="button quiet icon" onClick={change} aria-label={`Switch to the ${other} theme`}>
      {theme === 'dark' ? <Sun /> : <Moon />}
    </button>
  );
}

function current(): Theme {
  const chosen = document.documentElement.dataset.theme;
  if (chosen === 'light' || chosen === 'dark') return chosen;
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
}

/** Also read by the page's first script, before the first paint. */
function storeTheme(theme: Theme): void {
  try {
    localStorage.setItem('berth.theme', theme);
  } catch {
    // Without storage, the choice applies to this page only.
  }
}
