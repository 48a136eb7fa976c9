// Runs where action items are ticked off: the page stays as it is, and the focus on the item.
document.addEventListener('submit', async event => {
  const { target: form, submitter: button } = event
  if (!button?.classList.contains('tick')) return
  event.preventDefault()
  // Until the answer is there, a second click would be about an item that has changed.
  if (form.dataset.sent) return
  form.dataset.sent = 'true'
  const wasDone = button.getAttribute('aria-checked') === 'true'
  button.setAttribute('aria-checked', String(!wasDone))
  const answer = await fetch(form.action, { method: 'POST', body: new URLSearchParams(new FormData(form)) }).catch(
    () => undefined
  )
  if (!answer?.ok) {
    // The page that the form leads to says why.
    button.setAttribute('aria-checked', String(wasDone))
    form.submit()
    return
  }
  form.elements.completed.value = String(wasDone)
  delete form.dataset.sent
  showCount(new DOMParser().parseFromString(await answer.text(), 'text/html'))
})

/** The page of a session counts what is done, and has the version of its items in every form. */
function showCount(page) {
  const [shown, now] = [document.querySelector('#items'), page.querySelector('#items')]
  if (!shown || !now) return
  shown.innerHTML = now.innerHTML
  const { value } = page.querySelector('.tasks [name=version]') ?? {}
  if (value !== undefined) for (const field of document.querySelectorAll('.tasks [name=version]')) field.value = value
}
