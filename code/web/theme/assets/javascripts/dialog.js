// A dialog of the browser's own: it keeps the focus inside, closes on Escape, gives the focus back.

export function makeDialog(className, labelledBy) {
  const dialog = document.createElement("dialog");
  dialog.className = className;
  dialog.setAttribute("aria-labelledby", labelledBy);
  dialog.addEventListener("click", event => {
    if (event.target === dialog) dialog.close();
  });
  document.body.append(dialog);
  return dialog;
}

export function closeButton(dialog) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "close";
  button.setAttribute("aria-label", "Close");
  button.textContent = "\u00d7";
  button.addEventListener("click", () => dialog.close());
  return button;
}
