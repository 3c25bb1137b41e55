/** A page of boxes: hints, tabs, steps, columns, expandable blocks and cards. */
export const boxes = `---
description: Hints, tabs, steps, columns and what opens.
icon: box-open
---

# Boxes

{% hint style="info" %}
A hint with **bold**, \`code\` and [a link](text.md).
{% endhint %}

{% hint style="success" %}
It has worked.
{% endhint %}

{% hint style="warning" %}
Take care: this costs time.
{% endhint %}

{% hint style="danger" %}
## It is lost
What is deleted does not come back.
{% endhint %}

## Tabs

{% tabs %}
{% tab title="npm" %}
\`\`\`sh
npm install octavo
\`\`\`
{% endtab %}
{% tab title="pnpm" %}
\`\`\`sh
pnpm add octavo
\`\`\`
{% endtab %}
{% tab title="A text" %}
Words alone, and more of them.
{% endtab %}
{% endtabs %}

## Steps

{% stepper %}
{% step %}
### Install
Take the package.
{% endstep %}
{% step %}
### Run
\`\`\`sh
octavo start
\`\`\`
{% endstep %}
{% step %}
### Read
Open the address that it prints.
{% endstep %}
{% endstepper %}

## Columns

{% columns %}
{% column %}
The left column has a few words.
{% endcolumn %}
{% column %}
The right column has others, and a list:

- one
- two
{% endcolumn %}
{% endcolumns %}

<details>
<summary>What opens</summary>

It holds **text** and

- a list
- of two

</details>

> A quotation
> of two lines.

---

{% embed url="https://example.com/video" %}

{% content-ref url="text.md" %}
[text.md](text.md)
{% endcontent-ref %}

{% file src="plan.txt" %}
The plan
{% endfile %}
`;
