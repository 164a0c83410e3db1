/** The key that commands are given with on this machine. */
export const modifierKey = navigator.platform.startsWith('Mac') ? '⌘' : 'Ctrl';
