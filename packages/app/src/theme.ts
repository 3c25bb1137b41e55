import { useState } from 'preact/hooks';

/** The key that published sites use too. */
const themeKey = 'octavo-theme';
const themes = ['system', 'light', 'dark'] as const;
export type ThemeChoice = (typeof themes)[number];

const readTheme = (): ThemeChoice => themes.find((each) => each === document.documentElement.dataset.theme) ?? 'system';

function storeTheme(choice: ThemeChoice): void {
  if (choice === 'system') {
    localStorage.removeItem(themeKey);
    delete document.documentElement.dataset.theme;
  } else {
    localStorage.setItem(themeKey, choice);
    document.documentElement.dataset.theme = choice;
  }
}

/** Returns the chosen theme and a function that changes it. */
export function useTheme(): [choice: ThemeChoice, choose: (choice: ThemeChoice) => void] {
  const [choice, setChoice] = useState(readTheme);
  return [
    choice,
    (next) => {
      storeTheme(next);
      setChoice(next);
    },
  ];
}
