/* sources 8274f7a3829a9f4c444f398776c1ff42 */
/*!
# Libraries in this folder

Made by `python tools/vendor.py`, from the packages of these names.

## d3-array 3.2.5 (ISC)

```text
Copyright 2010-2026 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.
```

## d3-color 3.1.1 (ISC)

```text
Copyright 2010-2026 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.
```

## d3-format 3.1.3 (ISC)

```text
Copyright 2010-2026 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.
```

## d3-interpolate 3.0.2 (ISC)

```text
Copyright 2010-2026 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.
```

## d3-path 3.1.1 (ISC)

```text
Copyright 2015-2026 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.
```

## d3-scale 4.0.3 (ISC)

```text
Copyright 2010-2026 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.
```

## d3-shape 3.2.1 (ISC)

```text
Copyright 2010-2026 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.
```

## d3-time 3.1.1 (ISC)

```text
Copyright 2010-2026 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.
```

## d3-time-format 4.1.1 (ISC)

```text
Copyright 2010-2026 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.
```

## htm 3.1.1 (Apache-2.0)

```text
Apache License
                           Version 2.0, January 2004
                        http://www.apache.org/licenses/

   TERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION

   1. Definitions.

      "License" shall mean the terms and conditions for use, reproduction,
      and distribution as defined by Sections 1 through 9 of this document.

      "Licensor" shall mean the copyright owner or entity authorized by
      the copyright owner that is granting the License.

      "Legal Entity" shall mean the union of the acting entity and all
      other entities that control, are controlled by, or are under common
      control with that entity. For the purposes of this definition,
      "control" means (i) the power, direct or indirect, to cause the
      direction or management of such entity, whether by contract or
      otherwise, or (ii) ownership of fifty percent (50%) or more of the
      outstanding shares, or (iii) beneficial ownership of such entity.

      "You" (or "Your") shall mean an individual or Legal Entity
      exercising permissions granted by this License.

      "Source" form shall mean the preferred form for making modifications,
      including but not limited to software source code, documentation
      source, and configuration files.

      "Object" form shall mean any form resulting from mechanical
      transformation or translation of a Source form, including but
      not limited to compiled object code, generated documentation,
      and conversions to other media types.

      "Work" shall mean the work of authorship, whether in Source or
      Object form, made available under the License, as indicated by a
      copyright notice that is included in or attached to the work
      (an example is provided in the Appendix below).

      "Derivative Works" shall mean any work, whether in Source or Object
      form, that is based on (or derived from) the Work and for which the
      editorial revisions, annotations, elaborations, or other modifications
      represent, as a whole, an original work of authorship. For the purposes
      of this License, Derivative Works shall not include works that remain
      separable from, or merely link (or bind by name) to the interfaces of,
      the Work and Derivative Works thereof.

      "Contribution" shall mean any work of authorship, including
      the original version of the Work and any modifications or additions
      to that Work or Derivative Works thereof, that is intentionally
      submitted to Licensor for inclusion in the Work by the copyright owner
      or by an individual or Legal Entity authorized to submit on behalf of
      the copyright owner. For the purposes of this definition, "submitted"
      means any form of electronic, verbal, or written communication sent
      to the Licensor or its representatives, including but not limited to
      communication on electronic mailing lists, source code control systems,
      and issue tracking systems that are managed by, or on behalf of, the
      Licensor for the purpose of discussing and improving the Work, but
      excluding communication that is conspicuously marked or otherwise
      designated in writing by the copyright owner as "Not a Contribution."

      "Contributor" shall mean Licensor and any individual or Legal Entity
      on behalf of whom a Contribution has been received by Licensor and
      subsequently incorporated within the Work.

   2. Grant of Copyright License. Subject to the terms and conditions of
      this License, each Contributor hereby grants to You a perpetual,
      worldwide, non-exclusive, no-charge, royalty-free, irrevocable
      copyright license to reproduce, prepare Derivative Works of,
      publicly display, publicly perform, sublicense, and distribute the
      Work and such Derivative Works in Source or Object form.

   3. Grant of Patent License. Subject to the terms and conditions of
      this License, each Contributor hereby grants to You a perpetual,
      worldwide, non-exclusive, no-charge, royalty-free, irrevocable
      (except as stated in this section) patent license to make, have made,
      use, offer to sell, sell, import, and otherwise transfer the Work,
      where such license applies only to those patent claims licensable
      by such Contributor that are necessarily infringed by their
      Contribution(s) alone or by combination of their Contribution(s)
      with the Work to which such Contribution(s) was submitted. If You
      institute patent litigation against any entity (including a
      cross-claim or counterclaim in a lawsuit) alleging that the Work
      or a Contribution incorporated within the Work constitutes direct
      or contributory patent infringement, then any patent licenses
      granted to You under this License for that Work shall terminate
      as of the date such litigation is filed.

   4. Redistribution. You may reproduce and distribute copies of the
      Work or Derivative Works thereof in any medium, with or without
      modifications, and in Source or Object form, provided that You
      meet the following conditions:

      (a) You must give any other recipients of the Work or
          Derivative Works a copy of this License; and

      (b) You must cause any modified files to carry prominent notices
          stating that You changed the files; and

      (c) You must retain, in the Source form of any Derivative Works
          that You distribute, all copyright, patent, trademark, and
          attribution notices from the Source form of the Work,
          excluding those notices that do not pertain to any part of
          the Derivative Works; and

      (d) If the Work includes a "NOTICE" text file as part of its
          distribution, then any Derivative Works that You distribute must
          include a readable copy of the attribution notices contained
          within such NOTICE file, excluding those notices that do not
          pertain to any part of the Derivative Works, in at least one
          of the following places: within a NOTICE text file distributed
          as part of the Derivative Works; within the Source form or
          documentation, if provided along with the Derivative Works; or,
          within a display generated by the Derivative Works, if and
          wherever such third-party notices normally appear. The contents
          of the NOTICE file are for informational purposes only and
          do not modify the License. You may add Your own attribution
          notices within Derivative Works that You distribute, alongside
          or as an addendum to the NOTICE text from the Work, provided
          that such additional attribution notices cannot be construed
          as modifying the License.

      You may add Your own copyright statement to Your modifications and
      may provide additional or different license terms and conditions
      for use, reproduction, or distribution of Your modifications, or
      for any such Derivative Works as a whole, provided Your use,
      reproduction, and distribution of the Work otherwise complies with
      the conditions stated in this License.

   5. Submission of Contributions. Unless You explicitly state otherwise,
      any Contribution intentionally submitted for inclusion in the Work
      by You to the Licensor shall be under the terms and conditions of
      this License, without any additional terms or conditions.
      Notwithstanding the above, nothing herein shall supersede or modify
      the terms of any separate license agreement you may have executed
      with Licensor regarding such Contributions.

   6. Trademarks. This License does not grant permission to use the trade
      names, trademarks, service marks, or product names of the Licensor,
      except as required for reasonable and customary use in describing the
      origin of the Work and reproducing the content of the NOTICE file.

   7. Disclaimer of Warranty. Unless required by applicable law or
      agreed to in writing, Licensor provides the Work (and each
      Contributor provides its Contributions) on an "AS IS" BASIS,
      WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or
      implied, including, without limitation, any warranties or conditions
      of TITLE, NON-INFRINGEMENT, MERCHANTABILITY, or FITNESS FOR A
      PARTICULAR PURPOSE. You are solely responsible for determining the
      appropriateness of using or redistributing the Work and assume any
      risks associated with Your exercise of permissions under this License.

   8. Limitation of Liability. In no event and under no legal theory,
      whether in tort (including negligence), contract, or otherwise,
      unless required by applicable law (such as deliberate and grossly
      negligent acts) or agreed to in writing, shall any Contributor be
      liable to You for damages, including any direct, indirect, special,
      incidental, or consequential damages of any character arising as a
      result of this License or out of the use or inability to use the
      Work (including but not limited to damages for loss of goodwill,
      work stoppage, computer failure or malfunction, or any and all
      other commercial damages or losses), even if such Contributor
      has been advised of the possibility of such damages.

   9. Accepting Warranty or Additional Liability. While redistributing
      the Work or Derivative Works thereof, You may choose to offer,
      and charge a fee for, acceptance of support, warranty, indemnity,
      or other liability obligations and/or rights consistent with this
      License. However, in accepting such obligations, You may act only
      on Your own behalf and on Your sole responsibility, not on behalf
      of any other Contributor, and only if You agree to indemnify,
      defend, and hold each Contributor harmless for any liability
      incurred by, or claims asserted against, such Contributor by reason
      of your accepting any such warranty or additional liability.

   END OF TERMS AND CONDITIONS

   APPENDIX: How to apply the Apache License to your work.

      To apply the Apache License to your work, attach the following
      boilerplate notice, with the fields enclosed by brackets "[]"
      replaced with your own identifying information. (Don't include
      the brackets!)  The text should be enclosed in the appropriate
      comment syntax for the file format. We also recommend that a
      file or class name and description of purpose be included on the
      same "printed page" as the copyright notice for easier
      identification within third-party archives.

   Copyright 2018 Google Inc.

   Licensed under the Apache License, Version 2.0 (the "License");
   you may not use this file except in compliance with the License.
   You may obtain a copy of the License at

       http://www.apache.org/licenses/LICENSE-2.0

   Unless required by applicable law or agreed to in writing, software
   distributed under the License is distributed on an "AS IS" BASIS,
   WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
   See the License for the specific language governing permissions and
   limitations under the License.
```

## internmap 2.0.3 (ISC)

```text
Copyright 2021 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.
```

## preact 11.2.0 (MIT)

```text
The MIT License (MIT)

Copyright (c) 2015-present Jason Miller

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.
```
*/
var X,Yo,Ql,zt,ss,en,Qo,Qe,Zo,ls,os,Zl,Me=Symbol.for("pv"),nn={},sn=[],tc=/^m(i|n|o|s|text|space)$/,cs=Array.isArray,ps=sn.slice,Xt=Object.assign;function Vt(t){t&&t.parentNode&&t.remove()}function ec(t,e,n){var s,o,r,a={},i=arguments.length;for(r in e)r=="key"?s=e[r]:r=="ref"&&typeof t!="function"?o=e[r]:a[r]=e[r];return i>2&&(a.children=i>3?ps.call(arguments,2):n),ve(t,a,s,o,null)}function ve(t,e,n,s,o){var r={type:t,props:e,key:n,ref:s,__k:null,__:null,__b:0,__e:null,__c:null,constructor:Me,__v:o||++Yo,__i:-1,__u:0};return!o&&X.vnode&&X.vnode(r),r}function on(t){return t.children}function Ze(t,e){this.props=t,this.context=e,this.__g=0}function Rt(t,e){if(e==null)return t.__&&Rt(t.__,t.__i+1);for(var n;e<t.__k.length;e++)if((n=t.__k[e])&&n.__e)return n.__e;return typeof t.type!="function"||t.props.__P?null:Rt(t)}function nc(t){var e,n=t.__v,s=n.__e,o=[],r=[],a=t.__P;a&&((e=Xt({constructor:Me},n)).__v=n.__v+1,X.vnode&&X.vnode(e),us(a,e,n,t.__n,a.namespaceURI,32&n.__u?[s]:null,o,s||Rt(n),32&n.__u,r),e.__v=n.__v,e.__.__k[e.__i]=e,rr(o,e,r),n.__=n.__e=null,e.__e!=s&&tr(e))}function tr(t){if((t=t.__)&&t.__c&&!t.props.__P)return t.__e=null,t.__k.some(function(e){return e&&(t.__e=e.__e)}),tr(t)}function qo(t){(8&t.__g||(t.__g|=8,zt.push(t),en++))&&ss==X.debounceRendering||((ss=X.debounceRendering)||queueMicrotask)(er)}function er(){try{for(var t,e=1;zt.length;)zt.length>e&&zt.sort(Qo),t=zt.shift(),e=zt.length,8&t.__g&&nc(t)}finally{(en=zt.length)&&(ss||queueMicrotask)(er)}}function nr(t,e,n,s,o,r,a,i,l,c,p){var u,h,m,f,g,$,y=s.__k||sn,w=e.length;for(l=sc(n,e,y,l,w),u=0;u<w;u++)(m=n.__k[u])!=null&&(h=~m.__i&&y[m.__i]||nn,m.__i=u,$=us(t,m,h,o,r,a,i,l,c,p),f=m.__e,(h.ref!=m.ref||8&h.__u)&&(h.ref&&hs(h.ref,null,m,h),m.ref&&p.push(m.ref,m.__c||f,m)),g=g||f,4&m.__u?(l=sr(m,l,t,!h.__v),h.__e&&(h.__e=null)):typeof m.type=="function"&&$!==void 0?l=$:f&&(l=f.nextSibling),m.__u&=-21);return n.__e=g,l}function sc(t,e,n,s,o){var r,a,i,l,c,p,u,h,m,f=n.length,g=f,$=0,y=0,w=t.__k=Array(o);for(r=0;r<o;r++)(a=e[r])!=null&&typeof a!="boolean"&&typeof a!="function"?(typeof a!="object"||a.constructor===String?a=w[r]=ve(null,a):cs(a)?a=w[r]=ve(on,{children:a}):a.constructor===Me&&a.__b?a=w[r]=ve(a.type,a.props,a.key,a.ref,a.__v):w[r]=a,l=r+$,a.__=t,a.__b=t.__b+1,i=null,~(c=a.__i=oc(a,n,l,g))&&(g--,(i=n[c])&&(i.__u|=2)),i&&i.__v?(a.__u|=16,c==l-1?$--:c==l+1?$++:c!=l&&(c>l?$--:$++,y=1)):(~c||(o>f?$--:o<f&&$++),typeof a.type!="function"&&(a.__u|=4))):w[r]=null;if(y){for(p=[],u=[],r=0;r<o;r++)if((a=w[r])&&16&a.__u){for($=0,h=p.length;$<h;)p[m=$+h>>1]<a.__i?$=m+1:h=m;p[$]=a.__i,u[r]=$+1}for($=p.length;r--;)u[r]&&(u[r]==$?$--:w[r].__u|=4)}if(g)for(r=0;r<f;r++)!(i=n[r])||2&i.__u||(i.__e==s&&(s=Rt(i)),ds(i,i));return s}function sr(t,e,n,s){var o,r,a,i;if(typeof t.type=="function"){if(t.props.__P)return e;if(o=t.__k)for(r=0;r<o.length;r++)o[r]&&(o[r].__=t,e=sr(o[r],e,n,!1));return e}for(e&&!e.parentNode&&(e=Rt(t))&&!e.parentNode&&(e=null),a=t.__e,i=e;i&&i.nodeType==8;)i=i.nextSibling;for(a!=i&&(!s&&n.moveBefore&&a.parentNode?n.moveBefore(a,e):n.insertBefore(a,e||null)),e=a;(e=e&&e.nextSibling)&&e.nodeType==8&&!e.data.startsWith("$s"););return e}function oc(t,e,n,s){var o,r=t.key,a=t.type,i=e[n],l=i&&!(2&i.__u);if(i===null&&r==null||l&&r==i.key&&a==i.type)return n;if(s>(l?1:0)){for(o=n-1;o>=0;o--)if((i=e[o])&&!(2&i.__u)&&r==i.key&&a==i.type)return o;for(o=n+1;o<e.length;o++)if((i=e[o])&&!(2&i.__u)&&r==i.key&&a==i.type)return o}return-1}function Fo(t,e,n){n==null&&(n=""),e[0]=="-"?t.setProperty(e,n):t[e]=n}function Ye(t,e,n,s,o){var r,a;if(e=="style")if(typeof n=="string")t.style.cssText=n;else{if(typeof s=="string"&&(t.style.cssText=s=""),s)for(e in s)n&&e in n||Fo(t.style,e);if(n)for(e in n)s&&n[e]==s[e]||Fo(t.style,e,n[e])}else if(e[0]=="o"&&e[1]=="n")typeof n!="function"&&(n=null),typeof s!="function"&&(s=null),(t.__e||(t.__e={}))[e]=n,n&&s||(a=os[e]||(os[e]=rc(e)),(t.__a||(t.__a={}))[e]=ls,r=e!=(e=e.replace(Zo,"$1")),(e=e.slice(2))[0]<"a"&&(e=e.toLowerCase()),n?t.addEventListener(e,a,r):t.removeEventListener(e,a,r));else{if(o=="http://www.w3.org/2000/svg")e=e.replace(/xlink(H|:h)/,"h").replace(/sName$/,"s");else if(e!="width"&&e!="height"&&e!="href"&&e!="list"&&e!="form"&&e!="tabIndex"&&e!="download"&&e!="rowSpan"&&e!="colSpan"&&e!="role"&&e!="popover"&&e in t)try{return void(t[e]=n??"")}catch{}if(typeof n=="function")return;n==null||n===!1&&e[4]!="-"?t.removeAttribute(e):t.setAttribute(e,e=="popover"&&n==1?"":n)}}function rc(t){return function(e){var n=this.__e;if(n){if(n=n[t],e[Qe]==null)e[Qe]=ls++;else if(e[Qe]<this.__a[t])return;return n(X.event?X.event(e):e)}}}function us(t,e,n,s,o,r,a,i,l,c){var p,u,h,m,f,g,$,y,w,b,x,k,P,M,O,N,v,E,C=e.type;if(e.constructor!==Me)return null;128&n.__u&&(l=32&n.__u,p=n.__c.__z)&&(e.__u|=l,u=r=[],p.nodeType==8?i=tn(p,r):r.push(p),i=r[0]||i),(p=X.__b)&&p(e);t:if(typeof C=="function"){h=a.length;try{if(y=e.props,w=(p=C.prototype)&&p.render,b=(p=C.contextType)&&s[p.__c],x=p?b?b.props.value:p.__:s,(m=n.__c)?(e.__c=m,2&m.__g&&(m.__g|=1)):(w?e.__c=m=new C(y,x):(e.__c=m=new Ze(y,x),m.constructor=C,m.render=ic),b&&b.sub(m),m.state||(m.state={}),m.__n=s,m.__g|=8,m.__h=[],m.__k=[]),w&&(m.__s||(m.__s=m.state),C.getDerivedStateFromProps&&(m.__s==m.state&&(m.__s=Xt({},m.__s)),Xt(m.__s,C.getDerivedStateFromProps(y,m.__s)))),f=m.props,g=m.state,m.__v=e,n.__c){if(y!==f&&w&&!C.getDerivedStateFromProps&&m.componentWillReceiveProps&&m.componentWillReceiveProps(y,x),e.__v==n.__v&&!(8&m.__g)||!(4&m.__g)&&m.shouldComponentUpdate&&m.shouldComponentUpdate(y,m.__s,x)===!1){e.__v!=n.__v&&(m.props=y,m.state=m.__s,m.__g&=-9),e.__e=n.__e,e.__k=n.__k,e.__k.some(function(z){z&&(z.__=e)}),sn.push.apply(m.__h,m.__k),m.__k=[],m.__h.length&&a.push(m),i=Rt(n);break t}m.componentWillUpdate&&m.componentWillUpdate(y,m.__s,x),w&&m.componentDidUpdate&&m.__h.push(function(){m.componentDidUpdate(f,g,$)})}else w&&!C.getDerivedStateFromProps&&m.componentWillMount&&m.componentWillMount(),w&&m.componentDidMount&&m.__h.push(m.componentDidMount);m.context=x,m.props=y,m.__P=t,m.__g&=-5,k=X.__r,P=w?25:0;do m.__g&=-9,k&&k(e),p=m.render(m.props,m.state=m.__s,m.context);while(8&m.__g&&++P<25);w&&(sn.push.apply(m.__h,m.__k),m.__k=[]),m.state=m.__s,m.getChildContext&&(s=Xt({},s,m.getChildContext())),w&&n.__c&&m.getSnapshotBeforeUpdate&&($=m.getSnapshotBeforeUpdate(f,g)),M=p&&p.type===on&&p.key==null?p.props.children:p,y.__P&&(p=i,o=(t=y.__P).namespaceURI,l=r=null,n.props&&n.props.__P!=t&&(n.__k.some(function(z){z&&ds(z,z)}),n.__k=null),i=n.__k?Rt(n,0):null),i=nr(t,cs(M)?M:[M],e,n,s,o,r,a,i,l,c),y.__P&&(e.__e=null,i=p),e.__u&=-161,u&&u.some(Vt),m.__h.length&&a.push(m),1&m.__g&&(m.__g&=-4)}catch(z){if(a.length=h,e.__v=null,l||r)if(z&&z.then){if(e.__u|=128|l,r){for(~(v=r.indexOf(i||void 0))||(v=r.length);(E=r[v-1])&&E.nodeType==8;)v--;for(;v<r.length;v++)if(E=r[v])if(r[v]=null,O){if(E==N)break}else{if(E.nodeType!=8)break;E.data.startsWith("$s")&&(N=tn(O=E))}}if(!O){for(;i&&i.nodeType==8&&i.nextSibling;)i=i.nextSibling;O=i}(p=tn(O=e.__c.__z||(e.__c.__z=O)))?(e.__e=O,i=p):e.__e=i,i=i&&i.nextSibling}else r&&r.some(Vt);else e.__e=n.__e;e.__k||(e.__k=n.__k||[]),z&&z.then||or(e),X.__e(z,e,n)}}else i=e.__e=ac(n.__e,e,n,s,o,r,a,l,c,t);return(p=X.diffed)&&p(e),i}function tn(t,e){if(t&&t.nodeType==8&&t.data.startsWith("$s"))for(var n=1;t=t.nextSibling;){if(t.nodeType==8){if(t.data.startsWith("$s"))n++;else if(t.data.startsWith("/$s")&&!--n)return t}e&&e.push(t)}}function or(t){t&&(t.__c&&(t.__c.__g|=4),t.__k&&t.__k.some(or))}function rr(t,e,n){for(var s=0;s<n.length;)hs(n[s++],n[s++],n[s++]);X.__c&&X.__c(e,t),t.some(function(o){try{t=o.__h,o.__h=[],t.some(function(r){r.call(o)})}catch(r){X.__e(r,o.__v)}})}function ac(t,e,n,s,o,r,a,i,l,c){var p,u,h,m,f,g,$,y,w=n.props||nn,b=e.props,x=e.type;if(x=="svg"?o="http://www.w3.org/2000/svg":x=="math"?o="http://www.w3.org/1998/Math/MathML":o||(o="http://www.w3.org/1999/xhtml"),r){for(p=0;p<r.length;p++)if((f=r[p])&&(x?f.localName==x:f.nodeType==3)){t=f,r[p]=null;break}}if(!t){if(y=c.ownerDocument||document,!x)return y.createTextNode(b);t=y.createElementNS(o,x,b.is?b:c),i&&(X.__m&&X.__m(e,r),i=!1),r=null}if(x){if(c=x=="template"&&t.content||t,r=x=="textarea"&&b.defaultValue!=null?null:r&&ps.call(c.childNodes),!i&&r)for(w={},p=0;p<t.attributes.length;p++)w[(f=t.attributes[p]).name]=f.value;for(p in w)f=w[p],p=="dangerouslySetInnerHTML"?h=f:p=="children"||p in b||p=="value"&&"defaultValue"in b||p=="checked"&&"defaultChecked"in b||Ye(t,p,null,f,o);for(p in b)f=b[p],p=="children"?m=f:p=="dangerouslySetInnerHTML"?u=f:p=="value"?g=f:p=="checked"?$=f:i&&typeof f!="function"||w[p]===f||Ye(t,p,f,w[p],o);u?(i||h&&(u.__html==h.__html||u.__html==t.innerHTML)||(t.innerHTML=u.__html),e.__k=[]):(h&&(t.textContent=""),(x=="foreignObject"||o=="http://www.w3.org/1998/Math/MathML"&&tc.test(x))&&(o="http://www.w3.org/1999/xhtml"),nr(c,cs(m)?m:[m],e,n,s,o,r,a,r?r[0]:n.__k&&Rt(n,0),i,l),r&&r.some(Vt)),i&&x!="textarea"||(p="value",x=="progress"&&g==null?t.removeAttribute(p):g==null||g===t[p]&&(x!="progress"||g)||Ye(t,p,g,w[p],o),p="checked",$!=null&&$!=t[p]&&Ye(t,p,$,w[p],o))}else w===b||i&&t.data==b||(t.data=b);return t}function hs(t,e,n,s){try{typeof t=="function"?e?e.__x=t(e)||1:s&&(s=s.__c||s.__e)&&(e=s.__x)&&(s.__x=null,typeof e=="function"?e():t(null)):t.current=e}catch(o){X.__e(o,n)}}function ds(t,e,n){var s,o,r,a;if(X.unmount&&X.unmount(t),!(s=t.ref)||s.current&&s.current!=t.__e||hs(s,null,e,t),s=t.__c){if(s.componentWillUnmount)try{s.componentWillUnmount()}catch(i){X.__e(i,e)}s.__P=s.__n=null}if(s=t.__k)for(a=0;a<s.length;a++)s[a]&&ds(s[a],e,typeof t.type!="function"||n&&!t.props.__P);!n&&(s=t.__c)&&(s=s.__z)&&(o=tn(s,r=[]))&&(s==t.__e&&r.some(Vt),Vt(o),Vt(s)),n||Vt(t.__e),t.__e=t.__c=t.__=null}function ic(t,e,n){return this.constructor(t,n)}function Se(t,e){var n,s,o,r;X.__&&X.__(t,e),e.nodeType==9&&(e=e.documentElement),s=(n=t&&32&t.__u)?null:e.__k,e.__k=ve(on,{children:[t]}),o=[],r=[],us(e,e.__k,s||nn,nn,e.namespaceURI,s?null:e.firstChild?ps.call(e.childNodes):null,o,s?s.__e:e.firstChild,n,r),rr(o,e.__k,r),e.__k.props.children=null}X={__e:function(t,e,n,s){for(var o,r,a;e=e.__;)if((o=e.__c)&&!(1&o.__g)){o.__g|=4;try{if((a=(r=o.constructor)&&r.getDerivedStateFromError)&&o.setState(r.getDerivedStateFromError(t)),o.componentDidCatch&&(o.componentDidCatch(t,s||{}),a=1),a&&8&o.__g)return void(o.__g|=2)}catch(i){t=i}}throw en=0,t}},Yo=0,Ql=function(t){return t!=null&&t.constructor===Me},Ze.prototype.setState=function(t,e){var n=this.__s;n&&n!=this.state||(n=this.__s=Xt({},this.state)),typeof t=="function"&&(t=t(Xt({},n),this.props)),t&&(Xt(n,t),this.__v&&(e&&this.__k.push(e),qo(this)))},Ze.prototype.forceUpdate=function(t){this.__v&&(this.__g|=4,t&&this.__h.push(t),qo(this))},Ze.prototype.render=on,zt=[],en=0,Qo=function(t,e){return t.__v.__b-e.__v.__b},Qe=Symbol(),Zo=/(PointerCapture)$|Capture$/i,ls=0,os={},Zl=0;var re,tt,ns,Io,rs=Object.is,ke=0,ar=[],as=[],Z=X,Wo=Z.__b,Bo=Z.__r,Ho=Z.diffed,Uo=Z.__c,Ko=Z.unmount,Vo=Z.__;function rn(t,e){Z.__h&&Z.__h(tt,t,ke||e),ke=0;var n=tt.__H||(tt.__H={__:[],__h:[]});return t>=n.__.length&&n.__.push({}),n.__[t]}function j(t){return ke=1,lc(lr,t)}function lc(t,e,n){var s=rn(re++,2);if(s.t=t,!s.__c&&(s.__=[n?n(e):lr(void 0,e),function(r){var a=(s.__N||s.__)[0],i=s.t(a,r);rs(a,i)||(s.__N=[i,s.__[1]],s.__c.setState({}))}],s.__c=tt,!tt.__f)){tt.__f=!0;var o=tt.shouldComponentUpdate;tt.shouldComponentUpdate=function(r,a,i){var l=this.__H;if(!l)return!0;var c=!1,p=this.props!=r;if(l.__.some(function(h){h.__N&&(c=!0,rs(h.__[0],h.__N[0])||(p=!0))}),o){var u=o.call(this,r,a,i);return c?u||p:u}return!c||p}}return s.__}function B(t,e){var n=rn(re++,3);!Z.__s&&ms(n.__H,e)&&(n.__P=!0,n.__=t,n.u=e,tt.__H.__h.push(n))}function pt(t,e){var n=rn(re++,4);!Z.__s&&ms(n.__H,e)&&(n.__P=!1,n.__=t,n.u=e,tt.__h.push(n))}function D(t){return ke=5,G(function(){return{current:t}},[])}function G(t,e){var n=rn(re++,7);return ms(n.__H,e)&&(n.__=t(),n.__H=e),n.__}function ir(t,e){return ke=8,G(function(){return t},e)}function cc(){var t;do{for(;t=as.shift();)try{_e(t)}catch(n){Z.__e(n,{__:(t=t.__P)&&t.__v})}for(;t=ar.shift();){var e=t.__H;if(t.__P&&e)try{e.__h.some(_e),e.__h.some(is),e.__h=[]}catch(n){e.__h=[],Z.__e(n,t.__v)}}}while(as.length)}Z.__b=function(t){tt=null,Wo&&Wo(t)},Z.__=function(t,e){t&&e.__k&&e.__k.__m&&(t.__m=e.__k.__m),Vo&&Vo(t,e)},Z.__r=function(t){Bo&&Bo(t),re=0;var e=(tt=t.__c).__H;e&&(ns==tt?tt.__h=[]:(e.__h.some(_e),e.__h.some(is),re=0),e.__h=[],e.__.some(function(n){n.__N&&(n.__=n.__N),n.u=n.__N=void 0})),ns=tt},Z.diffed=function(t){Ho&&Ho(t);var e=t.__c;e&&e.__H&&(e.__H.__h.length&&Go(ar.push(e)),e.__H.__.some(function(n){n.u&&(n.__H=n.u)})),ns=tt=null},Z.__c=function(t,e){e.some(function(n){try{n.__h.some(_e),n.__h=n.__h.filter(function(s){return!s.__||is(s)})}catch(s){n.__h=[function(){throw s}]}}),Uo&&Uo(t,e)},Z.unmount=function(t){Ko&&Ko(t);var e,n,s=t.__c;s&&s.__H&&(s.__H.__.some(function(o){try{if(o.__P&&o.__c){if(n===void 0){for(n=t.__;n&&(!n.__c||!n.__c.__P);)n=n.__;n=n&&n.__c}o.__P=n,Go(as.push(o))}else _e(o)}catch(r){e=r}}),s.__H=void 0,e&&Z.__e(e,s.__v))};var Xo=typeof requestAnimationFrame=="function";function pc(t){var e,n=function(){clearTimeout(s),Xo&&cancelAnimationFrame(e),setTimeout(t)},s=setTimeout(n,35);Xo&&(e=requestAnimationFrame(n))}function Go(t){t!=1&&Io==Z.requestAnimationFrame||((Io=Z.requestAnimationFrame)||pc)(cc)}function _e(t){var e=tt,n=t.__c;typeof n=="function"&&(t.__c=void 0,n()),tt=e}function is(t){var e=tt;t.__c=t.__(),tt=e}function ms(t,e){return!t||t.length!=e.length||e.some(function(n,s){return!rs(n,t[s])})}function lr(t,e){return typeof e=="function"?e(t):e}var cr=function(t,e,n,s){var o;e[0]=0;for(var r=1;r<e.length;r++){var a=e[r++],i=e[r]?(e[0]|=a?1:2,n[e[r++]]):e[++r];a===3?s[0]=i:a===4?s[1]=Object.assign(s[1]||{},i):a===5?(s[1]=s[1]||{})[e[++r]]=i:a===6?s[1][e[++r]]+=i+"":a?(o=t.apply(i,cr(t,i,n,["",null])),s.push(o),i[0]?e[0]|=2:(e[r-2]=0,e[r]=o)):s.push(i)}return s},Jo=new Map;function uc(t){var e=Jo.get(this);return e||(e=new Map,Jo.set(this,e)),(e=cr(this,e.get(t)||(e.set(t,e=(function(n){for(var s,o,r=1,a="",i="",l=[0],c=function(h){r===1&&(h||(a=a.replace(/^\s*\n\s*|\s*\n\s*$/g,"")))?l.push(0,h,a):r===3&&(h||a)?(l.push(3,h,a),r=2):r===2&&a==="..."&&h?l.push(4,h,0):r===2&&a&&!h?l.push(5,0,!0,a):r>=5&&((a||!h&&r===5)&&(l.push(r,0,a,o),r=6),h&&(l.push(r,h,0,o),r=6)),a=""},p=0;p<n.length;p++){p&&(r===1&&c(),c(p));for(var u=0;u<n[p].length;u++)s=n[p][u],r===1?s==="<"?(c(),l=[l],r=3):a+=s:r===4?a==="--"&&s===">"?(r=1,a=""):a=s+a[0]:i?s===i?i="":a+=s:s==='"'||s==="'"?i=s:s===">"?(c(),r=1):r&&(s==="="?(r=5,o=a,a=""):s==="/"&&(r<5||n[p][u+1]===">")?(c(),r===3&&(l=l[0]),r=l,(l=l[0]).push(2,0,r),r=0):s===" "||s==="	"||s===`
`||s==="\r"?(c(),r=2):a+=s),r===3&&a==="!--"&&(r=4,l=l[0])}return c(),l})(t)),e),arguments,[])).length>1?e:e[0]}var d=uc.bind(ec);function hr(t){return fs.has(t)||fs.set(t,hc(t)),fs.get(t)}var fs=new WeakMap;function hc(t){let e=new Map,n=Math.random().toString(36).slice(2),s=0;return t.on("msg:custom",(o,r)=>{let a=e.get(o?.id);a&&(e.delete(o.id),o.error!==void 0?a.reject(Object.assign(new Error(o.error),{status:o.status})):a.resolve(r?.length?dc(r[0]):o.response))}),(o,r={},{signal:a}={})=>new Promise((i,l)=>{if(a?.aborted)return l(pr());let c=`${n}-${++s}`;e.set(c,{resolve:i,reject:l}),a?.addEventListener("abort",()=>{e.delete(c)&&(t.send({id:c,cancel:!0}),l(pr()))}),t.send({id:c,name:o,request:r})})}var pr=()=>new DOMException("nobody waits for it any more","AbortError"),wt=t=>t?.name==="AbortError";function dc(t){let e=t instanceof DataView?t:new DataView(t.buffer??t,t.byteOffset??0),n=e.getUint32(0,!0),s=JSON.parse(new TextDecoder().decode(new Uint8Array(e.buffer,e.byteOffset+4,n))),o=e.byteOffset+4+n,r=o%8?e.buffer.slice(o,e.byteOffset+e.byteLength):e.buffer,a=new Uint8Array(e.buffer,e.byteOffset,e.byteLength);return{header:s,data:r,offset:o%8?0:o,packed:a}}var an=class{constructor(e){this.state=e,this.listeners=new Map}get(e){return this.state[e]}set(e,n){this.state[e]!==n&&(this.state[e]=n,this.emit(`change:${e}`,n))}save_changes(){}on(e,n){this.listeners.set(e,[...this.listeners.get(e)??[],n])}off(e,n){this.listeners.set(e,(this.listeners.get(e)??[]).filter(s=>n&&s!==n))}emit(e,...n){for(let s of this.listeners.get(e)??[])s(...n)}},ln=class extends an{running=new Map;async send({id:e,name:n,request:s,cancel:o}){if(o)return this.running.get(e)?.abort();let r=new AbortController;this.running.set(e,r);try{let a={"Content-Type":"application/json"},i=JSON.stringify(s),l=await fetch(`api/${n}`,{method:"POST",headers:a,body:i,signal:r.signal});if(l.headers.get("content-type")?.startsWith("application/octet-stream"))this.emit("msg:custom",{id:e},[await l.arrayBuffer()]);else{let c=await l.json();l.ok?this.emit("msg:custom",{id:e,response:c}):this.emit("msg:custom",{id:e,error:c.error??"the server failed",status:l.status})}}catch(a){wt(a)||this.emit("msg:custom",{id:e,error:"the server does not respond; is it still running?"})}finally{this.running.delete(e)}}},cn=class extends an{constructor(e,n){super(e),this.answers=new Map(n.map(([s,o,r])=>[ur(s,o),r]))}send({id:e,name:n,request:s,cancel:o}){if(o)return;let r=this.answers.get(ur(n,s));queueMicrotask(()=>{r===void 0?this.emit("msg:custom",{id:e,error:"the saved file does not hold this; run regard explore to see it",status:404}):typeof r=="string"?this.emit("msg:custom",{id:e},[mc(r).buffer]):this.emit("msg:custom",{id:e,response:r})})}},ur=(t,e)=>`${t} ${JSON.stringify($s(e))}`,$s=t=>Array.isArray(t)?t.map($s):t&&typeof t=="object"?Object.fromEntries(Object.keys(t).sort().map(e=>[e,$s(t[e])])):t;function mc(t){let e=atob(t),n=new Uint8Array(e.length);for(let s=0;s<e.length;s++)n[s]=e.charCodeAt(s);return n}function gs(t){let e=[];for(let n=0;n<t.length;n+=32768)e.push(String.fromCharCode(...t.subarray(n,n+32768)));return btoa(e.join(""))}function Q(t,e,n){let s=n==null?null:JSON.stringify(n),[o,r]=j({response:null,error:null,waiting:s!==null,of:null});return B(()=>{if(s===null){r(i=>i.waiting?{...i,waiting:!1}:i);return}let a=new AbortController;return r(i=>({...i,waiting:!0})),t(e,JSON.parse(s),{signal:a.signal}).then(i=>r({response:i,error:null,waiting:!1,of:s}),i=>wt(i)||r(l=>({...l,error:i.message,waiting:!1}))),()=>a.abort()},[t,e,s]),o}function vt(t,e,n){let s=n==null?null:JSON.stringify(n),[o,r]=j({response:null,error:null,waiting:s!==null,of:null}),a=D({busy:!1,next:null,here:!0});return B(()=>(a.current.here=!0,()=>a.current.here=!1),[]),B(()=>{if(s===null)return;let i=a.current,l=async c=>{i.busy=!0,i.next=null;try{let p=await t(e,JSON.parse(c));i.here&&r({response:p,error:null,waiting:i.next!==null,of:c})}catch(p){i.here&&!wt(p)&&r(u=>({...u,error:p.message,waiting:!1}))}i.busy=!1,i.next!==null&&i.here&&l(i.next)};i.busy?i.next=s:l(s)},[t,e,s]),o}var fc={light:{weight:["#f4f6fc","#c3cff5","#7f97ea","#3457d5","#1b2f8a","#0b1547"],signed:["#8c3a00","#d9752b","#f3c9a4","#f6f7fa","#b3c1f2","#4a68da","#182a80"]},dark:{weight:["#1a1d27","#262f57","#3a4fae","#6f88ee","#b3c3ff","#f6f8ff"],signed:["#ffc795","#d9803a","#6e4526","#1d202a","#2f3f85","#6f88ee","#d3dcff"]}},_t=["curve-1","curve-2","curve-3","curve-4","curve-5","curve-6"],Ce=["","6 3","2 3","8 3 2 3","1 3","10 4"],$c=t=>[1,3,5].map(e=>parseInt(t.slice(e,e+2),16)),pn=t=>(t/=255)<=.04045?t/12.92:((t+.055)/1.055)**2.4,gc=t=>Math.round(255*(t<=.0031308?12.92*t:1.055*t**(1/2.4)-.055));function xc(t){let e=t.map(s=>$c(s).map(pn)),n=new Uint8ClampedArray(256*4);for(let s=0;s<256;s++){let o=s/255*(e.length-1),r=Math.min(Math.floor(o),e.length-2);for(let a=0;a<3;a++)n[4*s+a]=gc(e[r][a]+(o-r)*(e[r+1][a]-e[r][a]));n[4*s+3]=255}return n}var xs=new Map,Ne=()=>document.documentElement.dataset.theme??(matchMedia("(prefers-color-scheme: dark)").matches?"dark":"light");function Gt(t){let e=`${Ne()} ${t}`;return xs.has(e)||xs.set(e,xc(fc[Ne()][t])),xs.get(e)}function un(t,e,n){if(!(n>0)||Number.isNaN(t))return e==="signed"?128:0;let s=e==="signed"?.5+t/n/2:Math.sqrt(Math.max(t,0)/n);return Math.max(0,Math.min(255,Math.round(255*s)))}function Dt(t,e,n){let s=Gt(e),o=4*un(t,e,n);return`rgb(${s[o]}, ${s[o+1]}, ${s[o+2]})`}function dr(t,e,n){let s=Gt(e),o=4*un(t,e,n);return .2126*pn(s[o])+.7152*pn(s[o+1])+.0722*pn(s[o+2])>.2?"#14161d":"#ffffff"}function mr(t){let e=matchMedia("(prefers-color-scheme: dark)"),n=new MutationObserver(t);return n.observe(document.documentElement,{attributeFilter:["data-theme"]}),e.addEventListener("change",t),()=>(n.disconnect(),e.removeEventListener("change",t))}var hn=()=>d`<svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
  <g><rect x="3" y="3" width="8" height="8" rx="2" /><rect x="12" y="12" width="8" height="8" rx="2" />
    <rect x="21" y="21" width="8" height="8" rx="2" /></g>
  <g opacity=".45"><rect x="3" y="12" width="8" height="8" rx="2" /><rect x="12" y="21" width="8" height="8" rx="2" /></g>
  <rect x="3" y="21" width="8" height="8" rx="2" opacity=".2" />
</svg>`,$r="regard-theme",fr=()=>{try{return localStorage.getItem($r)}catch{return null}};fr()&&gr(fr());function gr(t){document.documentElement.dataset.theme=t,document.documentElement.style.colorScheme=t}function dn(){let e=ht()==="dark"?"light":"dark";return d`<button class="quiet" onClick=${()=>{gr(e);try{localStorage.setItem($r,e)}catch{}}} aria-label=${`Use ${e} colours`} title=${`Use ${e} colours`}>
    <svg viewBox="0 0 20 20" width="18" height="18" aria-hidden="true">
      <circle cx="10" cy="10" r="7" fill="none" stroke="currentColor" stroke-width="1.5" />
      <path d="M10 3a7 7 0 0 1 0 14z" fill="currentColor" />
    </svg>
  </button>`}function ht(){let[t,e]=j(Ne);return B(()=>mr(()=>e(Ne())),[]),t}function et(){let t=D(null),[e,n]=j(0);return pt(()=>{let s=new ResizeObserver(([o])=>n(Math.floor(o.contentRect.width)));return s.observe(t.current),n(Math.floor(t.current.getBoundingClientRect().width)),()=>s.disconnect()},[]),[t,e]}function I({title:t,note:e,class:n="",actions:s,children:o}){return d`<section class=${`panel ${n}`}>
    ${(t||s)&&d`<div class="panel-head"><h2>${t}</h2>${s}</div>`}
    ${e&&d`<p class="note">${e}</p>`}
    ${o}
  </section>`}function U({error:t,waiting:e,children:n}){return d`<div class="said" role="status" aria-live="polite">
    ${t?d`<p class="error">${t}</p>`:e?d`<p class="waiting">${n??"computing …"}</p>`:null}
  </div>`}function jt({place:t,class:e="",noted:n=!0,what:s,children:o}){return t!=="file"?d`<div class=${e||"as-itself"}>${o}</div>`:d`<fieldset class=${`saved-still ${e}`} disabled>${n&&d`<${Jt} place=${t} what=${s} />`}${o}</fieldset>`}var Jt=({place:t,what:e="change it"})=>t==="file"&&d`<p class="note saved-note">Saved from regard: run <code>regard explore</code> to ${e}.</p>`,ys=(t,e,n,s)=>Number.isFinite(t)?Math.min(n,Math.max(e,t)):s,ae=(t,e,n,s)=>Number.isFinite(t)?Math.round(ys(t,e,n)):s,Ae=(t,e,n)=>e.includes(t)?t:n,mn=(t,e,n)=>Array.isArray(t)&&t.length===2&&t.every(Number.isFinite)?t.map(s=>ae(s,e,n)):null,qt=()=>matchMedia("(prefers-reduced-motion: reduce)").matches;function yn(t,e){return t==null||e==null?NaN:t<e?-1:t>e?1:t>=e?0:NaN}function yc(t,e){return t==null||e==null?NaN:e<t?-1:e>t?1:e>=t?0:NaN}function Kr(t){let e,n,s;t.length!==2?(e=yn,n=(i,l)=>yn(t(i),l),s=(i,l)=>t(i)-l):(e=t===yn||t===yc?t:bc,n=t,s=t);function o(i,l,c=0,p=i.length){if(c<p){if(e(l,l)!==0)return p;do{let u=c+p>>>1;n(i[u],l)<0?c=u+1:p=u}while(c<p)}return c}function r(i,l,c=0,p=i.length){if(c<p){if(e(l,l)!==0)return p;do{let u=c+p>>>1;n(i[u],l)<=0?c=u+1:p=u}while(c<p)}return c}function a(i,l,c=0,p=i.length){let u=o(i,l,c,p-1);return u>c&&s(i[u-1],l)>-s(i[u],l)?u-1:u}return{left:o,center:a,right:r}}function bc(){return 0}function wc(t){return t===null?NaN:+t}var Vr=Kr(yn),vc=Vr.right,_m=Vr.left,km=Kr(wc).center,Mm=Xr(Gr),Sm=Xr(_c);function Xr(t){return function(e,n,s=n){if(!((n=+n)>=0))throw new RangeError("invalid rx");if(!((s=+s)>=0))throw new RangeError("invalid ry");let{data:o,width:r,height:a}=e;if(!((r=Math.floor(r))>=0))throw new RangeError("invalid width");if(!((a=Math.floor(a!==void 0?a:o.length/r))>=0))throw new RangeError("invalid height");if(!r||!a||!n&&!s)return e;let i=n&&t(n),l=s&&t(s),c=o.slice();return i&&l?(ie(i,c,o,r,a),ie(i,o,c,r,a),ie(i,c,o,r,a),le(l,o,c,r,a),le(l,c,o,r,a),le(l,o,c,r,a)):i?(ie(i,o,c,r,a),ie(i,c,o,r,a),ie(i,o,c,r,a)):l&&(le(l,o,c,r,a),le(l,c,o,r,a),le(l,o,c,r,a)),e}}function ie(t,e,n,s,o){for(let r=0,a=s*o;r<a;)t(e,n,r,r+=s,1)}function le(t,e,n,s,o){for(let r=0,a=s*o;r<s;++r)t(e,n,r,r+a,s)}function _c(t){let e=Gr(t);return(n,s,o,r,a)=>{o<<=2,r<<=2,a<<=2,e(n,s,o+0,r+0,a),e(n,s,o+1,r+1,a),e(n,s,o+2,r+2,a),e(n,s,o+3,r+3,a)}}function Gr(t){let e=Math.floor(t);if(e===t)return kc(t);let n=t-e,s=2*t+1;return(o,r,a,i,l)=>{if(!((i-=l)>=a))return;let c=e*r[a],p=l*e,u=p+l;for(let h=a,m=a+p;h<m;h+=l)c+=r[Math.min(i,h)];for(let h=a,m=i;h<=m;h+=l)c+=r[Math.min(i,h+p)],o[h]=(c+n*(r[Math.max(a,h-u)]+r[Math.min(i,h+u)]))/s,c-=r[Math.max(a,h-p)]}}function kc(t){let e=2*t+1;return(n,s,o,r,a)=>{if(!((r-=a)>=o))return;let i=t*s[o],l=a*t;for(let c=o,p=o+l;c<p;c+=a)i+=s[Math.min(r,c)];for(let c=o,p=r;c<=p;c+=a)i+=s[Math.min(r,c+l)],n[c]=i/e,i-=s[Math.max(o,c-l)]}}var Mc=Array.prototype,Nm=Mc.slice,Sc=Math.sqrt(50),Nc=Math.sqrt(10),Cc=Math.sqrt(2);function bn(t,e,n){let s=(e-t)/Math.max(0,n),o=Math.floor(Math.log10(s)),r=s/Math.pow(10,o),a=r>=Sc?10:r>=Nc?5:r>=Cc?2:1,i,l,c;return o<0?(c=Math.pow(10,-o)/a,i=Math.round(t*c),l=Math.round(e*c),i/c<t&&++i,l/c>e&&--l,c=-c):(c=Math.pow(10,o)*a,i=Math.round(t/c),l=Math.round(e/c),i*c<t&&++i,l*c>e&&--l),l<i&&.5<=n&&n<2?bn(t,e,n*2):[i,l,c]}function Ns(t,e,n){if(e=+e,t=+t,n=+n,!(n>0))return[];if(t===e)return[t];let s=e<t,[o,r,a]=s?bn(e,t,n):bn(t,e,n);if(!(r>=o))return[];let i=r-o+1,l=new Array(i);if(s)if(a<0)for(let c=0;c<i;++c)l[c]=(r-c)/-a;else for(let c=0;c<i;++c)l[c]=(r-c)*a;else if(a<0)for(let c=0;c<i;++c)l[c]=(o+c)/-a;else for(let c=0;c<i;++c)l[c]=(o+c)*a;return l}function Cs(t,e,n){return e=+e,t=+t,n=+n,bn(t,e,n)[2]}function Ac(t,e,n){e=+e,t=+t,n=+n;let s=e<t,o=s?Cs(e,t,n):Cs(t,e,n);return(s?-1:1)*(o<0?1/-o:o)}var Cm=Tc(Math.random);function Tc(t){return function(e,n=0,s=e.length){let o=s-(n=+n);for(;o;){let r=t()*o--|0,a=e[o+n];e[o+n]=e[r+n],e[r+n]=a}return e}}function me(t,e,n){t.prototype=e.prototype=n,n.constructor=t}function ze(t,e){var n=Object.create(t.prototype);for(var s in e)n[s]=e[s];return n}function It(){}var ee=.7,he=1/ee,pe="\\s*([+-]?\\d+)\\s*",Ee="\\s*([+-]?(?:\\d*\\.)?\\d+(?:[eE][+-]?\\d+)?)\\s*",Mt="\\s*([+-]?(?:\\d*\\.)?\\d+(?:[eE][+-]?\\d+)?)%\\s*",Ec=/^#([0-9a-f]{3,8})$/,Oc=new RegExp(`^rgb\\(${pe},${pe},${pe}\\)$`),Pc=new RegExp(`^rgb\\(${Mt},${Mt},${Mt}\\)$`),Lc=new RegExp(`^rgba\\(${pe},${pe},${pe},${Ee}\\)$`),zc=new RegExp(`^rgba\\(${Mt},${Mt},${Mt},${Ee}\\)$`),Rc=new RegExp(`^hsl\\(${Ee},${Mt},${Mt}\\)$`),Dc=new RegExp(`^hsla\\(${Ee},${Mt},${Mt},${Ee}\\)$`),xr={aliceblue:15792383,antiquewhite:16444375,aqua:65535,aquamarine:8388564,azure:15794175,beige:16119260,bisque:16770244,black:0,blanchedalmond:16772045,blue:255,blueviolet:9055202,brown:10824234,burlywood:14596231,cadetblue:6266528,chartreuse:8388352,chocolate:13789470,coral:16744272,cornflowerblue:6591981,cornsilk:16775388,crimson:14423100,cyan:65535,darkblue:139,darkcyan:35723,darkgoldenrod:12092939,darkgray:11119017,darkgreen:25600,darkgrey:11119017,darkkhaki:12433259,darkmagenta:9109643,darkolivegreen:5597999,darkorange:16747520,darkorchid:10040012,darkred:9109504,darksalmon:15308410,darkseagreen:9419919,darkslateblue:4734347,darkslategray:3100495,darkslategrey:3100495,darkturquoise:52945,darkviolet:9699539,deeppink:16716947,deepskyblue:49151,dimgray:6908265,dimgrey:6908265,dodgerblue:2003199,firebrick:11674146,floralwhite:16775920,forestgreen:2263842,fuchsia:16711935,gainsboro:14474460,ghostwhite:16316671,gold:16766720,goldenrod:14329120,gray:8421504,green:32768,greenyellow:11403055,grey:8421504,honeydew:15794160,hotpink:16738740,indianred:13458524,indigo:4915330,ivory:16777200,khaki:15787660,lavender:15132410,lavenderblush:16773365,lawngreen:8190976,lemonchiffon:16775885,lightblue:11393254,lightcoral:15761536,lightcyan:14745599,lightgoldenrodyellow:16448210,lightgray:13882323,lightgreen:9498256,lightgrey:13882323,lightpink:16758465,lightsalmon:16752762,lightseagreen:2142890,lightskyblue:8900346,lightslategray:7833753,lightslategrey:7833753,lightsteelblue:11584734,lightyellow:16777184,lime:65280,limegreen:3329330,linen:16445670,magenta:16711935,maroon:8388608,mediumaquamarine:6737322,mediumblue:205,mediumorchid:12211667,mediumpurple:9662683,mediumseagreen:3978097,mediumslateblue:8087790,mediumspringgreen:64154,mediumturquoise:4772300,mediumvioletred:13047173,midnightblue:1644912,mintcream:16121850,mistyrose:16770273,moccasin:16770229,navajowhite:16768685,navy:128,oldlace:16643558,olive:8421376,olivedrab:7048739,orange:16753920,orangered:16729344,orchid:14315734,palegoldenrod:15657130,palegreen:10025880,paleturquoise:11529966,palevioletred:14381203,papayawhip:16773077,peachpuff:16767673,peru:13468991,pink:16761035,plum:14524637,powderblue:11591910,purple:8388736,rebeccapurple:6697881,red:16711680,rosybrown:12357519,royalblue:4286945,saddlebrown:9127187,salmon:16416882,sandybrown:16032864,seagreen:3050327,seashell:16774638,sienna:10506797,silver:12632256,skyblue:8900331,slateblue:6970061,slategray:7372944,slategrey:7372944,snow:16775930,springgreen:65407,steelblue:4620980,tan:13808780,teal:32896,thistle:14204888,tomato:16737095,turquoise:4251856,violet:15631086,wheat:16113331,white:16777215,whitesmoke:16119285,yellow:16776960,yellowgreen:10145074};me(It,Oe,{copy(t){return Object.assign(new this.constructor,this,t)},displayable(){return this.rgb().displayable()},hex:yr,formatHex:yr,formatHex8:jc,formatHsl:qc,formatRgb:br,toString:br});function yr(){return this.rgb().formatHex()}function jc(){return this.rgb().formatHex8()}function qc(){return Jr(this).formatHsl()}function br(){return this.rgb().formatRgb()}function Oe(t){var e,n;return t=(t+"").trim().toLowerCase(),(e=Ec.exec(t))?(n=e[1].length,e=parseInt(e[1],16),n===6?wr(e):n===3?new rt(e>>8&15|e>>4&240,e>>4&15|e&240,(e&15)<<4|e&15,1):n===8?fn(e>>24&255,e>>16&255,e>>8&255,(e&255)/255):n===4?fn(e>>12&15|e>>8&240,e>>8&15|e>>4&240,e>>4&15|e&240,((e&15)<<4|e&15)/255):null):(e=Oc.exec(t))?new rt(e[1],e[2],e[3],1):(e=Pc.exec(t))?new rt(e[1]*255/100,e[2]*255/100,e[3]*255/100,1):(e=Lc.exec(t))?fn(e[1],e[2],e[3],e[4]):(e=zc.exec(t))?fn(e[1]*255/100,e[2]*255/100,e[3]*255/100,e[4]):(e=Rc.exec(t))?kr(e[1],e[2]/100,e[3]/100,1):(e=Dc.exec(t))?kr(e[1],e[2]/100,e[3]/100,e[4]):xr.hasOwnProperty(t)?wr(xr[t]):t==="transparent"?new rt(NaN,NaN,NaN,0):null}function wr(t){return new rt(t>>16&255,t>>8&255,t&255,1)}function fn(t,e,n,s){return s<=0&&(t=e=n=NaN),new rt(t,e,n,s)}function Ds(t){return t instanceof It||(t=Oe(t)),t?(t=t.rgb(),new rt(t.r,t.g,t.b,t.opacity)):new rt}function wn(t,e,n,s){return arguments.length===1?Ds(t):new rt(t,e,n,s??1)}function rt(t,e,n,s){this.r=+t,this.g=+e,this.b=+n,this.opacity=+s}me(rt,wn,ze(It,{brighter(t){return t=t==null?he:Math.pow(he,t),new rt(this.r*t,this.g*t,this.b*t,this.opacity)},darker(t){return t=t==null?ee:Math.pow(ee,t),new rt(this.r*t,this.g*t,this.b*t,this.opacity)},rgb(){return this},clamp(){return new rt(Zt(this.r),Zt(this.g),Zt(this.b),vn(this.opacity))},displayable(){return-.5<=this.r&&this.r<255.5&&-.5<=this.g&&this.g<255.5&&-.5<=this.b&&this.b<255.5&&0<=this.opacity&&this.opacity<=1},hex:vr,formatHex:vr,formatHex8:Fc,formatRgb:_r,toString:_r}));function vr(){return`#${Qt(this.r)}${Qt(this.g)}${Qt(this.b)}`}function Fc(){return`#${Qt(this.r)}${Qt(this.g)}${Qt(this.b)}${Qt((isNaN(this.opacity)?1:this.opacity)*255)}`}function _r(){let t=vn(this.opacity);return`${t===1?"rgb(":"rgba("}${Zt(this.r)}, ${Zt(this.g)}, ${Zt(this.b)}${t===1?")":`, ${t})`}`}function vn(t){return isNaN(t)?1:Math.max(0,Math.min(1,t))}function Zt(t){return Math.max(0,Math.min(255,Math.round(t)||0))}function Qt(t){return t=Zt(t),(t<16?"0":"")+t.toString(16)}function kr(t,e,n,s){return s<=0?t=e=n=NaN:n<=0||n>=1?t=e=NaN:e<=0&&(t=NaN),new xt(t,e,n,s)}function Jr(t){if(t instanceof xt)return new xt(t.h,t.s,t.l,t.opacity);if(t instanceof It||(t=Oe(t)),!t)return new xt;if(t instanceof xt)return t;t=t.rgb();var e=t.r/255,n=t.g/255,s=t.b/255,o=Math.min(e,n,s),r=Math.max(e,n,s),a=NaN,i=r-o,l=(r+o)/2;return i?(e===r?a=(n-s)/i+(n<s)*6:n===r?a=(s-e)/i+2:a=(e-n)/i+4,i/=l<.5?r+o:2-r-o,a*=60):i=l>0&&l<1?0:a,new xt(a,i,l,t.opacity)}function As(t,e,n,s){return arguments.length===1?Jr(t):new xt(t,e,n,s??1)}function xt(t,e,n,s){this.h=+t,this.s=+e,this.l=+n,this.opacity=+s}me(xt,As,ze(It,{brighter(t){return t=t==null?he:Math.pow(he,t),new xt(this.h,this.s,this.l*t,this.opacity)},darker(t){return t=t==null?ee:Math.pow(ee,t),new xt(this.h,this.s,this.l*t,this.opacity)},rgb(){var t=this.h%360+(this.h<0)*360,e=isNaN(t)||isNaN(this.s)?0:this.s,n=this.l,s=n+(n<.5?n:1-n)*e,o=2*n-s;return new rt(bs(t>=240?t-240:t+120,o,s),bs(t,o,s),bs(t<120?t+240:t-120,o,s),this.opacity)},clamp(){return new xt(Mr(this.h),$n(this.s),$n(this.l),vn(this.opacity))},displayable(){return(0<=this.s&&this.s<=1||isNaN(this.s))&&0<=this.l&&this.l<=1&&0<=this.opacity&&this.opacity<=1},formatHsl(){let t=vn(this.opacity);return`${t===1?"hsl(":"hsla("}${Mr(this.h)}, ${$n(this.s)*100}%, ${$n(this.l)*100}%${t===1?")":`, ${t})`}`}}));function Mr(t){return t=(t||0)%360,t<0?t+360:t}function $n(t){return Math.max(0,Math.min(1,t||0))}function bs(t,e,n){return(t<60?e+(n-e)*t/60:t<180?n:t<240?e+(n-e)*(240-t)/60:e)*255}var Yr=Math.PI/180,Qr=180/Math.PI,_n=18,Zr=.96422,ta=1,ea=.82521,na=4/29,ue=6/29,sa=3*ue*ue,Ic=ue*ue*ue;function oa(t){if(t instanceof St)return new St(t.l,t.a,t.b,t.opacity);if(t instanceof Ct)return ra(t);t instanceof rt||(t=Ds(t));var e=ks(t.r),n=ks(t.g),s=ks(t.b),o=ws((.2225045*e+.7168786*n+.0606169*s)/ta),r,a;return e===n&&n===s?r=a=o:(r=ws((.4360747*e+.3850649*n+.1430804*s)/Zr),a=ws((.0139322*e+.0971045*n+.7141733*s)/ea)),new St(116*o-16,500*(r-o),200*(o-a),t.opacity)}function Wc(t,e,n,s){return arguments.length===1?oa(t):new St(t,e,n,s??1)}function St(t,e,n,s){this.l=+t,this.a=+e,this.b=+n,this.opacity=+s}me(St,Wc,ze(It,{brighter(t){return new St(this.l+_n*(t??1),this.a,this.b,this.opacity)},darker(t){return new St(this.l-_n*(t??1),this.a,this.b,this.opacity)},rgb(){var t=(this.l+16)/116,e=isNaN(this.a)?t:t+this.a/500,n=isNaN(this.b)?t:t-this.b/200;return e=Zr*vs(e),t=ta*vs(t),n=ea*vs(n),new rt(_s(3.1338561*e-1.6168667*t-.4906146*n),_s(-.9787684*e+1.9161415*t+.033454*n),_s(.0719453*e-.2289914*t+1.4052427*n),this.opacity)}}));function ws(t){return t>Ic?Math.pow(t,1/3):t/sa+na}function vs(t){return t>ue?t*t*t:sa*(t-na)}function _s(t){return 255*(t<=.0031308?12.92*t:1.055*Math.pow(t,1/2.4)-.055)}function ks(t){return(t/=255)<=.04045?t/12.92:Math.pow((t+.055)/1.055,2.4)}function Bc(t){if(t instanceof Ct)return new Ct(t.h,t.c,t.l,t.opacity);if(t instanceof St||(t=oa(t)),t.a===0&&t.b===0)return new Ct(NaN,0<t.l&&t.l<100?0:NaN,t.l,t.opacity);var e=Math.atan2(t.b,t.a)*Qr;return new Ct(e<0?e+360:e,Math.sqrt(t.a*t.a+t.b*t.b),t.l,t.opacity)}function Ts(t,e,n,s){return arguments.length===1?Bc(t):new Ct(t,e,n,s??1)}function Ct(t,e,n,s){this.h=+t,this.c=+e,this.l=+n,this.opacity=+s}function ra(t){if(isNaN(t.h))return new St(t.l,0,0,t.opacity);var e=t.h*Yr;return new St(t.l,Math.cos(e)*t.c,Math.sin(e)*t.c,t.opacity)}me(Ct,Ts,ze(It,{brighter(t){return new Ct(this.h,this.c,this.l+_n*(t??1),this.opacity)},darker(t){return new Ct(this.h,this.c,this.l-_n*(t??1),this.opacity)},rgb(){return ra(this).rgb()}}));var aa=-.14861,js=1.78277,qs=-.29227,An=-.90649,Pe=1.97294,Sr=Pe*An,Nr=Pe*js,Cr=js*qs-An*aa;function Hc(t){if(t instanceof te)return new te(t.h,t.s,t.l,t.opacity);t instanceof rt||(t=Ds(t));var e=t.r/255,n=t.g/255,s=t.b/255,o=(Cr*s+Sr*e-Nr*n)/(Cr+Sr-Nr),r=s-o,a=(Pe*(n-o)-qs*r)/An,i=Math.sqrt(a*a+r*r)/(Pe*o*(1-o)),l=i?Math.atan2(a,r)*Qr-120:NaN;return new te(l<0?l+360:l,i,o,t.opacity)}function Es(t,e,n,s){return arguments.length===1?Hc(t):new te(t,e,n,s??1)}function te(t,e,n,s){this.h=+t,this.s=+e,this.l=+n,this.opacity=+s}me(te,Es,ze(It,{brighter(t){return t=t==null?he:Math.pow(he,t),new te(this.h,this.s,this.l*t,this.opacity)},darker(t){return t=t==null?ee:Math.pow(ee,t),new te(this.h,this.s,this.l*t,this.opacity)},rgb(){var t=isNaN(this.h)?0:(this.h+120)*Yr,e=+this.l,n=isNaN(this.s)?0:this.s*e*(1-e),s=Math.cos(t),o=Math.sin(t);return new rt(255*(e+n*(aa*s+js*o)),255*(e+n*(qs*s+An*o)),255*(e+n*(Pe*s)),this.opacity)}}));function ia(t,e,n,s,o){var r=t*t,a=r*t;return((1-3*t+3*r-a)*e+(4-6*r+3*a)*n+(1+3*t+3*r-3*a)*s+a*o)/6}function Uc(t){var e=t.length-1;return function(n){var s=n<=0?n=0:n>=1?(n=1,e-1):Math.floor(n*e),o=t[s],r=t[s+1],a=s>0?t[s-1]:2*o-r,i=s<e-1?t[s+2]:2*r-o;return ia((n-s/e)*e,a,o,r,i)}}function Kc(t){var e=t.length;return function(n){var s=Math.floor(((n%=1)<0?++n:n)*e),o=t[(s+e-1)%e],r=t[s%e],a=t[(s+1)%e],i=t[(s+2)%e];return ia((n-s/e)*e,o,r,a,i)}}var Tn=t=>()=>t;function la(t,e){return function(n){return t+n*e}}function Vc(t,e,n){return t=Math.pow(t,n),e=Math.pow(e,n)-t,n=1/n,function(s){return Math.pow(t+s*e,n)}}function Fs(t,e){var n=e-t;return n?la(t,n>180||n<-180?n-360*Math.round(n/360):n):Tn(isNaN(t)?e:t)}function Xc(t){return(t=+t)==1?dt:function(e,n){return n-e?Vc(e,n,t):Tn(isNaN(e)?n:e)}}function dt(t,e){var n=e-t;return n?la(t,n):Tn(isNaN(t)?e:t)}var Ar=(function t(e){var n=Xc(e);function s(o,r){var a=n((o=wn(o)).r,(r=wn(r)).r),i=n(o.g,r.g),l=n(o.b,r.b),c=dt(o.opacity,r.opacity);return function(p){return o.r=a(p),o.g=i(p),o.b=l(p),o.opacity=c(p),o+""}}return s.gamma=t,s})(1);function ca(t){return function(e){var n=e.length,s=new Array(n),o=new Array(n),r=new Array(n),a,i;for(a=0;a<n;++a)i=wn(e[a]),s[a]=i.r||0,o[a]=i.g||0,r[a]=i.b||0;return s=t(s),o=t(o),r=t(r),i.opacity=1,function(l){return i.r=s(l),i.g=o(l),i.b=r(l),i+""}}}var Am=ca(Uc),Tm=ca(Kc);function Gc(t,e){e||(e=[]);var n=t?Math.min(e.length,t.length):0,s=e.slice(),o;return function(r){for(o=0;o<n;++o)s[o]=t[o]*(1-r)+e[o]*r;return s}}function Jc(t){return ArrayBuffer.isView(t)&&!(t instanceof DataView)}function Yc(t,e){var n=e?e.length:0,s=t?Math.min(n,t.length):0,o=new Array(s),r=new Array(n),a;for(a=0;a<s;++a)o[a]=Is(t[a],e[a]);for(;a<n;++a)r[a]=e[a];return function(i){for(a=0;a<s;++a)r[a]=o[a](i);return r}}function Qc(t,e){var n=new Date;return t=+t,e=+e,function(s){return n.setTime(t*(1-s)+e*s),n}}function kt(t,e){return t=+t,e=+e,function(n){return t*(1-n)+e*n}}function Zc(t,e){var n={},s={},o;(t===null||typeof t!="object")&&(t={}),(e===null||typeof e!="object")&&(e={});for(o in e)o in t?n[o]=Is(t[o],e[o]):s[o]=e[o];return function(r){for(o in n)s[o]=n[o](r);return s}}var Os=/[-+]?(?:\d+\.?\d*|\.?\d+)(?:[eE][-+]?\d+)?/g,Ms=new RegExp(Os.source,"g");function tp(t){return function(){return t}}function ep(t){return function(e){return t(e)+""}}function np(t,e){var n=Os.lastIndex=Ms.lastIndex=0,s,o,r,a=-1,i=[],l=[];for(t=t+"",e=e+"";(s=Os.exec(t))&&(o=Ms.exec(e));)(r=o.index)>n&&(r=e.slice(n,r),i[a]?i[a]+=r:i[++a]=r),(s=s[0])===(o=o[0])?i[a]?i[a]+=o:i[++a]=o:(i[++a]=null,l.push({i:a,x:kt(s,o)})),n=Ms.lastIndex;return n<e.length&&(r=e.slice(n),i[a]?i[a]+=r:i[++a]=r),i.length<2?l[0]?ep(l[0].x):tp(e):(e=l.length,function(c){for(var p=0,u;p<e;++p)i[(u=l[p]).i]=u.x(c);return i.join("")})}function Is(t,e){var n=typeof e,s;return e==null||n==="boolean"?Tn(e):(n==="number"?kt:n==="string"?(s=Oe(e))?(e=s,Ar):np:e instanceof Oe?Ar:e instanceof Date?Qc:Jc(e)?Gc:Array.isArray(e)?Yc:typeof e.valueOf!="function"&&typeof e.toString!="function"||isNaN(e)?Zc:kt)(t,e)}function sp(t,e){return t=+t,e=+e,function(n){return Math.round(t*(1-n)+e*n)}}var Tr=180/Math.PI,pa={translateX:0,translateY:0,rotate:0,skewX:0,scaleX:1,scaleY:1};function ua(t,e,n,s,o,r){var a,i,l;return(a=Math.sqrt(t*t+e*e))&&(t/=a,e/=a),(l=t*n+e*s)&&(n-=t*l,s-=e*l),(i=Math.sqrt(n*n+s*s))&&(n/=i,s/=i,l/=i),t*s<e*n&&(t=-t,e=-e,l=-l,a=-a),{translateX:o,translateY:r,rotate:Math.atan2(e,t)*Tr,skewX:Math.atan(l)*Tr,scaleX:a,scaleY:i}}var gn;function op(t){let e=new(typeof DOMMatrix=="function"?DOMMatrix:WebKitCSSMatrix)(t+"");return e.isIdentity?pa:ua(e.a,e.b,e.c,e.d,e.e,e.f)}function rp(t){return t==null||(gn||(gn=document.createElementNS("http://www.w3.org/2000/svg","g")),gn.setAttribute("transform",t),!(t=gn.transform.baseVal.consolidate()))?pa:(t=t.matrix,ua(t.a,t.b,t.c,t.d,t.e,t.f))}function ha(t,e,n,s){function o(c){return c.length?c.pop()+" ":""}function r(c,p,u,h,m,f){if(c!==u||p!==h){var g=m.push("translate(",null,e,null,n);f.push({i:g-4,x:kt(c,u)},{i:g-2,x:kt(p,h)})}else(u||h)&&m.push("translate("+u+e+h+n)}function a(c,p,u,h){c!==p?(c-p>180?p+=360:p-c>180&&(c+=360),h.push({i:u.push(o(u)+"rotate(",null,s)-2,x:kt(c,p)})):p&&u.push(o(u)+"rotate("+p+s)}function i(c,p,u,h){c!==p?h.push({i:u.push(o(u)+"skewX(",null,s)-2,x:kt(c,p)}):p&&u.push(o(u)+"skewX("+p+s)}function l(c,p,u,h,m,f){if(c!==u||p!==h){var g=m.push(o(m)+"scale(",null,",",null,")");f.push({i:g-4,x:kt(c,u)},{i:g-2,x:kt(p,h)})}else(u!==1||h!==1)&&m.push(o(m)+"scale("+u+","+h+")")}return function(c,p){var u=[],h=[];return c=t(c),p=t(p),r(c.translateX,c.translateY,p.translateX,p.translateY,u,h),a(c.rotate,p.rotate,u,h),i(c.skewX,p.skewX,u,h),l(c.scaleX,c.scaleY,p.scaleX,p.scaleY,u,h),c=p=null,function(m){for(var f=-1,g=h.length,$;++f<g;)u[($=h[f]).i]=$.x(m);return u.join("")}}}var Em=ha(op,"px, ","px)","deg)"),Om=ha(rp,", ",")",")"),ap=1e-12;function Er(t){return((t=Math.exp(t))+1/t)/2}function ip(t){return((t=Math.exp(t))-1/t)/2}function lp(t){return((t=Math.exp(2*t))-1)/(t+1)}var Pm=(function t(e,n,s){function o(r,a){var i=r[0],l=r[1],c=r[2],p=a[0],u=a[1],h=a[2],m=p-i,f=u-l,g=m*m+f*f,$,y;if(g<ap)y=Math.log(h/c)/e,$=function(M){return[i+M*m,l+M*f,c*Math.exp(e*M*y)]};else{var w=Math.sqrt(g),b=(h*h-c*c+s*g)/(2*c*n*w),x=(h*h-c*c-s*g)/(2*h*n*w),k=Math.log(Math.sqrt(b*b+1)-b),P=Math.log(Math.sqrt(x*x+1)-x);y=(P-k)/e,$=function(M){var O=M*y,N=Er(k),v=c/(n*w)*(N*lp(e*O+k)-ip(k));return[i+v*m,l+v*f,c*N/Er(e*O+k)]}}return $.duration=Math.abs(y)*1e3*e/Math.SQRT2,$}return o.rho=function(r){var a=Math.max(.001,+r),i=a*a,l=i*i;return t(a,i,l)},o})(Math.SQRT2,2,4);function da(t){return function(e,n){var s=t((e=As(e)).h,(n=As(n)).h),o=dt(e.s,n.s),r=dt(e.l,n.l),a=dt(e.opacity,n.opacity);return function(i){return e.h=s(i),e.s=o(i),e.l=r(i),e.opacity=a(i),e+""}}}var Lm=da(Fs),zm=da(dt);function ma(t){return function(e,n){var s=t((e=Ts(e)).h,(n=Ts(n)).h),o=dt(e.c,n.c),r=dt(e.l,n.l),a=dt(e.opacity,n.opacity);return function(i){return e.h=s(i),e.c=o(i),e.l=r(i),e.opacity=a(i),e+""}}}var Rm=ma(Fs),Dm=ma(dt);function fa(t){return(function e(n){n=+n;function s(o,r){var a=t((o=Es(o)).h,(r=Es(r)).h),i=dt(o.s,r.s),l=dt(o.l,r.l),c=dt(o.opacity,r.opacity);return function(p){return o.h=a(p),o.s=i(p),o.l=l(Math.pow(p,n)),o.opacity=c(p),o+""}}return s.gamma=e,s})(1)}var jm=fa(Fs),qm=fa(dt);function cp(t){return Math.abs(t=Math.round(t))>=1e21?t.toLocaleString("en").replace(/,/g,""):t.toString(10)}function kn(t,e){if(!isFinite(t)||t===0)return null;var n=(t=e?t.toExponential(e-1):t.toExponential()).indexOf("e"),s=t.slice(0,n);return[s.length>1?s[0]+s.slice(2):s,+t.slice(n+1)]}function de(t){return t=kn(Math.abs(t)),t?t[1]:NaN}function pp(t,e){return function(n,s){for(var o=n.length,r=[],a=0,i=t[0],l=0;o>0&&i>0&&(l+i+1>s&&(i=Math.max(1,s-l)),r.push(n.substring(o-=i,o+i)),!((l+=i+1)>s));)i=t[a=(a+1)%t.length];return r.reverse().join(e)}}function up(t){return function(e){return e.replace(/[0-9]/g,function(n){return t[+n]})}}var hp=/^(?:(.)?([<>=^]))?([+\-( ])?([$#])?(0)?(\d+)?(,)?(\.\d+)?(~)?([a-z%])?$/i;function Le(t){if(!(e=hp.exec(t)))throw new Error("invalid format: "+t);var e;return new Ws({fill:e[1],align:e[2],sign:e[3],symbol:e[4],zero:e[5],width:e[6],comma:e[7],precision:e[8]&&e[8].slice(1),trim:e[9],type:e[10]})}Le.prototype=Ws.prototype;function Ws(t){this.fill=t.fill===void 0?" ":t.fill+"",this.align=t.align===void 0?">":t.align+"",this.sign=t.sign===void 0?"-":t.sign+"",this.symbol=t.symbol===void 0?"":t.symbol+"",this.zero=!!t.zero,this.width=t.width===void 0?void 0:+t.width,this.comma=!!t.comma,this.precision=t.precision===void 0?void 0:+t.precision,this.trim=!!t.trim,this.type=t.type===void 0?"":t.type+""}Ws.prototype.toString=function(){return this.fill+this.align+this.sign+this.symbol+(this.zero?"0":"")+(this.width===void 0?"":Math.max(1,this.width|0))+(this.comma?",":"")+(this.precision===void 0?"":"."+Math.max(0,this.precision|0))+(this.trim?"~":"")+this.type};function dp(t){t:for(var e=t.length,n=1,s=-1,o;n<e;++n)switch(t[n]){case".":s=o=n;break;case"0":s===0&&(s=n),o=n;break;default:if(!+t[n])break t;s>0&&(s=0);break}return s>0?t.slice(0,s)+t.slice(o+1):t}var Mn;function mp(t,e){var n=kn(t,e);if(!n)return Mn=void 0,t.toPrecision(e);var s=n[0],o=n[1],r=o-(Mn=Math.max(-8,Math.min(8,Math.floor(o/3)))*3)+1,a=s.length;return r===a?s:r>a?s+new Array(r-a+1).join("0"):r>0?s.slice(0,r)+"."+s.slice(r):"0."+new Array(1-r).join("0")+kn(t,Math.max(0,e+r-1))[0]}function Or(t,e){var n=kn(t,e);if(!n)return t+"";var s=n[0],o=n[1];return o<0?"0."+new Array(-o).join("0")+s:s.length>o+1?s.slice(0,o+1)+"."+s.slice(o+1):s+new Array(o-s.length+2).join("0")}var Pr={"%":(t,e)=>(t*100).toFixed(e),b:t=>Math.round(t).toString(2),c:t=>t+"",d:cp,e:(t,e)=>t.toExponential(e),f:(t,e)=>t.toFixed(e),g:(t,e)=>t.toPrecision(e),o:t=>Math.round(t).toString(8),p:(t,e)=>Or(t*100,e),r:Or,s:mp,X:t=>Math.round(t).toString(16).toUpperCase(),x:t=>Math.round(t).toString(16)};function Lr(t){return t}var zr=Array.prototype.map,Rr=["y","z","a","f","p","n","µ","m","","k","M","G","T","P","E","Z","Y"];function fp(t){var e=t.grouping===void 0||t.thousands===void 0?Lr:pp(zr.call(t.grouping,Number),t.thousands+""),n=t.currency===void 0?"":t.currency[0]+"",s=t.currency===void 0?"":t.currency[1]+"",o=t.decimal===void 0?".":t.decimal+"",r=t.numerals===void 0?Lr:up(zr.call(t.numerals,String)),a=t.percent===void 0?"%":t.percent+"",i=t.minus===void 0?"−":t.minus+"",l=t.nan===void 0?"NaN":t.nan+"";function c(u,h){u=Le(u);var m=u.fill,f=u.align,g=u.sign,$=u.symbol,y=u.zero,w=u.width,b=u.comma,x=u.precision,k=u.trim,P=u.type;P==="n"?(b=!0,P="g"):Pr[P]||(x===void 0&&(x=12),k=!0,P="g"),(y||m==="0"&&f==="=")&&(y=!0,m="0",f="=");var M=(h&&h.prefix!==void 0?h.prefix:"")+($==="$"?n:$==="#"&&/[boxX]/.test(P)?"0"+P.toLowerCase():""),O=($==="$"?s:/[%p]/.test(P)?a:"")+(h&&h.suffix!==void 0?h.suffix:""),N=Pr[P],v=/[defgprs%]/.test(P);x=x===void 0?6:/[gprs]/.test(P)?Math.max(1,Math.min(21,x)):Math.max(0,Math.min(20,x));function E(C){var z=M,F=O,T,R,S;if(P==="c")F=N(C)+F,C="";else{C=+C;var _=C<0||1/C<0;if(C=isNaN(C)?l:N(Math.abs(C),x),k&&(C=dp(C)),_&&+C==0&&g!=="+"&&(_=!1),z=(_?g==="("?g:i:g==="-"||g==="("?"":g)+z,F=(P==="s"&&!isNaN(C)&&Mn!==void 0?Rr[8+Mn/3]:"")+F+(_&&g==="("?")":""),v){for(T=-1,R=C.length;++T<R;)if(S=C.charCodeAt(T),48>S||S>57){F=(S===46?o+C.slice(T+1):C.slice(T))+F,C=C.slice(0,T);break}}}b&&!y&&(C=e(C,1/0));var A=z.length+C.length+F.length,q=A<w?new Array(w-A+1).join(m):"";switch(b&&y&&(C=e(q+C,q.length?w-F.length:1/0),q=""),f){case"<":C=z+C+F+q;break;case"=":C=z+q+C+F;break;case"^":C=q.slice(0,A=q.length>>1)+z+C+F+q.slice(A);break;default:C=q+z+C+F;break}return r(C)}return E.toString=function(){return u+""},E}function p(u,h){var m=Math.max(-8,Math.min(8,Math.floor(de(h)/3)))*3,f=Math.pow(10,-m),g=c((u=Le(u),u.type="f",u),{suffix:Rr[8+m/3]});return function($){return g(f*$)}}return{format:c,formatPrefix:p}}var xn,Bs,$a;$p({thousands:",",grouping:[3],currency:["$",""]});function $p(t){return xn=fp(t),Bs=xn.format,$a=xn.formatPrefix,xn}function gp(t){return Math.max(0,-de(Math.abs(t)))}function xp(t,e){return Math.max(0,Math.max(-8,Math.min(8,Math.floor(de(e)/3)))*3-de(Math.abs(t)))}function yp(t,e){return t=Math.abs(t),e=Math.abs(e)-t,Math.max(0,de(e)-de(t))+1}function ga(t,e){switch(arguments.length){case 0:break;case 1:this.range(t);break;default:this.range(e).domain(t);break}return this}function bp(t){return function(){return t}}function wp(t){return+t}var Dr=[0,1];function ce(t){return t}function Ps(t,e){return(e-=t=+t)?function(n){return(n-t)/e}:bp(isNaN(e)?NaN:.5)}function vp(t,e){var n;return t>e&&(n=t,t=e,e=n),function(s){return Math.max(t,Math.min(e,s))}}function _p(t,e,n){var s=t[0],o=t[1],r=e[0],a=e[1];return o<s?(s=Ps(o,s),r=n(a,r)):(s=Ps(s,o),r=n(r,a)),function(i){return r(s(i))}}function kp(t,e,n){var s=Math.min(t.length,e.length)-1,o=new Array(s),r=new Array(s),a=-1;for(t[s]<t[0]&&(t=t.slice().reverse(),e=e.slice().reverse());++a<s;)o[a]=Ps(t[a],t[a+1]),r[a]=n(e[a],e[a+1]);return function(i){var l=vc(t,i,1,s)-1;return r[l](o[l](i))}}function xa(t,e){return e.domain(t.domain()).range(t.range()).interpolate(t.interpolate()).clamp(t.clamp()).unknown(t.unknown())}function ya(){var t=Dr,e=Dr,n=Is,s,o,r,a=ce,i,l,c;function p(){var h=Math.min(t.length,e.length);return a!==ce&&(a=vp(t[0],t[h-1])),i=h>2?kp:_p,l=c=null,u}function u(h){return h==null||isNaN(h=+h)?r:(l||(l=i(t.map(s),e,n)))(s(a(h)))}return u.invert=function(h){return a(o((c||(c=i(e,t.map(s),kt)))(h)))},u.domain=function(h){return arguments.length?(t=Array.from(h,wp),p()):t.slice()},u.range=function(h){return arguments.length?(e=Array.from(h),p()):e.slice()},u.rangeRound=function(h){return e=Array.from(h),n=sp,p()},u.clamp=function(h){return arguments.length?(a=h?!0:ce,p()):a!==ce},u.interpolate=function(h){return arguments.length?(n=h,p()):n},u.unknown=function(h){return arguments.length?(r=h,u):r},function(h,m){return s=h,o=m,p()}}function Mp(){return ya()(ce,ce)}function Sp(t,e,n,s){var o=Ac(t,e,n),r;switch(s=Le(s??",f"),s.type){case"s":{var a=Math.max(Math.abs(t),Math.abs(e));return s.precision==null&&!isNaN(r=xp(o,a))&&(s.precision=r),$a(s,a)}case"":case"e":case"g":case"p":case"r":{s.precision==null&&!isNaN(r=yp(o,Math.max(Math.abs(t),Math.abs(e))))&&(s.precision=r-(s.type==="e"));break}case"f":case"%":{s.precision==null&&!isNaN(r=gp(o))&&(s.precision=r-(s.type==="%")*2);break}}return Bs(s)}function Np(t){var e=t.domain;return t.ticks=function(n){var s=e();return Ns(s[0],s[s.length-1],n??10)},t.tickFormat=function(n,s){var o=e();return Sp(o[0],o[o.length-1],n??10,s)},t.nice=function(n){n==null&&(n=10);var s=e(),o=0,r=s.length-1,a=s[o],i=s[r],l,c,p=10;for(i<a&&(c=a,a=i,i=c,c=o,o=r,r=c);p-- >0;){if(c=Cs(a,i,n),c===l)return s[o]=a,s[r]=i,e(s);if(c>0)a=Math.floor(a/c)*c,i=Math.ceil(i/c)*c;else if(c<0)a=Math.ceil(a*c)/c,i=Math.floor(i*c)/c;else break;l=c}return t},t}function Re(){var t=Mp();return t.copy=function(){return xa(t,Re())},ga.apply(t,arguments),Np(t)}function Cp(t,e){t=t.slice();var n=0,s=t.length-1,o=t[n],r=t[s],a;return r<o&&(a=n,n=s,s=a,a=o,o=r,r=a),t[n]=e.floor(o),t[s]=e.ceil(r),t}function jr(t){return Math.log(t)}function qr(t){return Math.exp(t)}function Ap(t){return-Math.log(-t)}function Tp(t){return-Math.exp(-t)}function Ep(t){return isFinite(t)?+("1e"+t):t<0?0:t}function Op(t){return t===10?Ep:t===Math.E?Math.exp:e=>Math.pow(t,e)}function Pp(t){return t===Math.E?Math.log:t===10&&Math.log10||t===2&&Math.log2||(t=Math.log(t),e=>Math.log(e)/t)}function Fr(t){return(e,n)=>-t(-e,n)}function Lp(t){let e=t(jr,qr),n=e.domain,s=10,o,r;function a(){return o=Pp(s),r=Op(s),n()[0]<0?(o=Fr(o),r=Fr(r),t(Ap,Tp)):t(jr,qr),e}return e.base=function(i){return arguments.length?(s=+i,a()):s},e.domain=function(i){return arguments.length?(n(i),a()):n()},e.ticks=i=>{let l=n(),c=l[0],p=l[l.length-1],u=p<c;u&&([c,p]=[p,c]);let h=o(c),m=o(p),f,g,$=i==null?10:+i,y=[];if(!(s%1)&&m-h<$){if(h=Math.floor(h),m=Math.ceil(m),c>0){for(;h<=m;++h)for(f=1;f<s;++f)if(g=h<0?f/r(-h):f*r(h),!(g<c)){if(g>p)break;y.push(g)}}else for(;h<=m;++h)for(f=s-1;f>=1;--f)if(g=h>0?f/r(-h):f*r(h),!(g<c)){if(g>p)break;y.push(g)}y.length*2<$&&(y=Ns(c,p,$))}else y=Ns(h,m,Math.min(m-h,$)).map(r);return u?y.reverse():y},e.tickFormat=(i,l)=>{if(i==null&&(i=10),l==null&&(l=s===10?"s":","),typeof l!="function"&&(!(s%1)&&(l=Le(l)).precision==null&&(l.trim=!0),l=Bs(l)),i===1/0)return l;let c=Math.max(1,s*i/e.ticks().length);return p=>{let u=p/r(Math.round(o(p)));return u*s<s-.5&&(u*=s),u<=c?l(p):""}},e.nice=()=>n(Cp(n(),{floor:i=>r(Math.floor(o(i))),ceil:i=>r(Math.ceil(o(i)))})),e}function Hs(){let t=Lp(ya()).domain([1,10]);return t.copy=()=>xa(t,Hs()).base(t.base()),ga.apply(t,arguments),t}var Te=Math.PI,Ls=2*Te,Yt=1e-6,zp=Ls-Yt;function ba(t){this._+=t[0];for(let e=1,n=t.length;e<n;++e)this._+=arguments[e]+t[e]}function Rp(t){let e=Math.floor(t);if(!(e>=0))throw new Error(`invalid digits: ${t}`);if(e>15)return ba;let n=10**e;return function(s){this._+=s[0];for(let o=1,r=s.length;o<r;++o)this._+=Math.round(arguments[o]*n)/n+s[o]}}function wa(t,e,n,s){return t===n&&e===s}function Dp(t){let e=Math.floor(t);if(!(e<=15))return wa;let n=10**e,s=function(o){return Math.round(o*n)};return function(o,r,a,i){return s(o)===s(a)&&s(r)===s(i)}}var Us=class{constructor(t){this._x0=this._y0=this._x1=this._y1=null,this._="",this._append=t==null?ba:Rp(t),this._equal=t==null?wa:Dp(t)}moveTo(t,e){this._append`M${this._x0=this._x1=+t},${this._y0=this._y1=+e}`}closePath(){this._x1!==null&&(this._x1=this._x0,this._y1=this._y0,this._append`Z`)}lineTo(t,e){this._append`L${this._x1=+t},${this._y1=+e}`}quadraticCurveTo(t,e,n,s){this._append`Q${+t},${+e},${this._x1=+n},${this._y1=+s}`}bezierCurveTo(t,e,n,s,o,r){this._append`C${+t},${+e},${+n},${+s},${this._x1=+o},${this._y1=+r}`}arcTo(t,e,n,s,o){if(t=+t,e=+e,n=+n,s=+s,o=+o,o<0)throw new Error(`negative radius: ${o}`);let r=this._x1,a=this._y1,i=n-t,l=s-e,c=r-t,p=a-e,u=c*c+p*p;if(this._x1===null)this._append`M${this._x1=t},${this._y1=e}`;else if(u>Yt)if(!(Math.abs(p*i-l*c)>Yt)||!o)this._append`L${this._x1=t},${this._y1=e}`;else{let h=n-r,m=s-a,f=i*i+l*l,g=h*h+m*m,$=Math.sqrt(f),y=Math.sqrt(u),w=o*Math.tan((Te-Math.acos((f+u-g)/(2*$*y)))/2),b=w/y,x=w/$;Math.abs(b-1)>Yt&&this._append`L${t+b*c},${e+b*p}`,this._append`A${o},${o},0,0,${+(p*h>c*m)},${this._x1=t+x*i},${this._y1=e+x*l}`}}arc(t,e,n,s,o,r){if(t=+t,e=+e,n=+n,r=!!r,n<0)throw new Error(`negative radius: ${n}`);let a=n*Math.cos(s),i=n*Math.sin(s),l=t+a,c=e+i,p=1^r,u=r?s-o:o-s;if(this._x1===null?this._append`M${l},${c}`:(Math.abs(this._x1-l)>Yt||Math.abs(this._y1-c)>Yt)&&this._append`L${l},${c}`,!!n){if(u<0&&(u=u%Ls+Ls),u>zp)this._append`A${n},${n},0,1,${p},${t-a},${e-i}A${n},${n},0,1,${p},${this._x1=l},${this._y1=c}`;else if(u>Yt){let h=t+n*Math.cos(o),m=e+n*Math.sin(o);if(u>=Te&&this._equal(l,c,h,m)){u/=2;let f=s+u;this._append`A${n},${n},0,${+(u>=Te)},${p},${t+n*Math.cos(f)},${e+n*Math.sin(f)}`}this._append`A${n},${n},0,${+(u>=Te)},${p},${this._x1=h},${this._y1=m}`}}}rect(t,e,n,s){this._append`M${this._x0=this._x1=+t},${this._y0=this._y1=+e}h${n=+n}v${+s}h${-n}Z`}toString(){return this._}};function jp(){return new Us}jp.prototype=Us.prototype;function lt(t){return function(){return t}}var qp=Math.cos,zs=Math.sin,fe=Math.sqrt,Ir=1e-12,Sn=Math.PI,Fm=Sn/2,va=2*Sn;function _a(t){let e=3;return t.digits=function(n){if(!arguments.length)return e;if(n==null)e=null;else{let s=Math.floor(n);if(!(s>=0))throw new RangeError(`invalid digits: ${n}`);e=s}return t},()=>new Us(e)}var Im=Array.prototype.slice;function ka(t){return typeof t=="object"&&"length"in t?t:Array.from(t)}function Ma(t){this._context=t}Ma.prototype={areaStart:function(){this._line=0},areaEnd:function(){this._line=NaN},lineStart:function(){this._point=0},lineEnd:function(){(this._line||this._line!==0&&this._point===1)&&this._context.closePath(),this._line=1-this._line},point:function(t,e){switch(t=+t,e=+e,this._point){case 0:this._point=1,this._line?this._context.lineTo(t,e):this._context.moveTo(t,e);break;case 1:this._point=2;default:this._context.lineTo(t,e);break}}};function Ks(t){return new Ma(t)}function Sa(t){return t[0]}function Na(t){return t[1]}function De(t,e){var n=lt(!0),s=null,o=Ks,r=null,a=_a(i);t=typeof t=="function"?t:t===void 0?Sa:lt(t),e=typeof e=="function"?e:e===void 0?Na:lt(e);function i(l){var c,p=(l=ka(l)).length,u,h=!1,m;for(s==null&&(r=o(m=a())),c=0;c<=p;++c)!(c<p&&n(u=l[c],c,l))===h&&((h=!h)?r.lineStart():r.lineEnd()),h&&r.point(+t(u,c,l),+e(u,c,l));if(m)return r=null,m+""||null}return i.x=function(l){return arguments.length?(t=typeof l=="function"?l:lt(+l),i):t},i.y=function(l){return arguments.length?(e=typeof l=="function"?l:lt(+l),i):e},i.defined=function(l){return arguments.length?(n=typeof l=="function"?l:lt(!!l),i):n},i.curve=function(l){return arguments.length?(o=l,s!=null&&(r=o(s)),i):o},i.context=function(l){return arguments.length?(l==null?s=r=null:r=o(s=l),i):s},i}function Ca(t,e,n){var s=null,o=lt(!0),r=null,a=Ks,i=null,l=_a(c);t=typeof t=="function"?t:t===void 0?Sa:lt(+t),e=typeof e=="function"?e:lt(e===void 0?0:+e),n=typeof n=="function"?n:n===void 0?Na:lt(+n);function c(u){var h,m,f,g=(u=ka(u)).length,$,y=!1,w,b=new Array(g),x=new Array(g);for(r==null&&(i=a(w=l())),h=0;h<=g;++h){if(!(h<g&&o($=u[h],h,u))===y)if(y=!y)m=h,i.areaStart(),i.lineStart();else{for(i.lineEnd(),i.lineStart(),f=h-1;f>=m;--f)i.point(b[f],x[f]);i.lineEnd(),i.areaEnd()}y&&(b[h]=+t($,h,u),x[h]=+e($,h,u),i.point(s?+s($,h,u):b[h],n?+n($,h,u):x[h]))}if(w)return i=null,w+""||null}function p(){return De().defined(o).curve(a).context(r)}return c.x=function(u){return arguments.length?(t=typeof u=="function"?u:lt(+u),s=null,c):t},c.x0=function(u){return arguments.length?(t=typeof u=="function"?u:lt(+u),c):t},c.x1=function(u){return arguments.length?(s=u==null?null:typeof u=="function"?u:lt(+u),c):s},c.y=function(u){return arguments.length?(e=typeof u=="function"?u:lt(+u),n=null,c):e},c.y0=function(u){return arguments.length?(e=typeof u=="function"?u:lt(+u),c):e},c.y1=function(u){return arguments.length?(n=u==null?null:typeof u=="function"?u:lt(+u),c):n},c.lineX0=c.lineY0=function(){return p().x(t).y(e)},c.lineY1=function(){return p().x(t).y(n)},c.lineX1=function(){return p().x(s).y(e)},c.defined=function(u){return arguments.length?(o=typeof u=="function"?u:lt(!!u),c):o},c.curve=function(u){return arguments.length?(a=u,r!=null&&(i=a(r)),c):a},c.context=function(u){return arguments.length?(u==null?r=i=null:i=a(r=u),c):r},c}var Wm=Fp(Ks);function Aa(t){this._curve=t}Aa.prototype={areaStart:function(){this._curve.areaStart()},areaEnd:function(){this._curve.areaEnd()},lineStart:function(){this._curve.lineStart()},lineEnd:function(){this._curve.lineEnd()},point:function(t,e){this._curve.point(e*Math.sin(t),e*-Math.cos(t))}};function Fp(t){function e(n){return new Aa(t(n))}return e._curve=t,e}var Bm=fe(3),Ip=fe(1/3),Hm=Ip*2,Ta=zs(Sn/10)/zs(7*Sn/10),Um=zs(va/10)*Ta,Km=-qp(va/10)*Ta,Vm=fe(3),Xm=fe(3),Gm=fe(3)/2,Wp=1/fe(12),Jm=(Wp/2+1)*3;function Ft(){}function Nn(t,e,n){t._context.bezierCurveTo((2*t._x0+t._x1)/3,(2*t._y0+t._y1)/3,(t._x0+2*t._x1)/3,(t._y0+2*t._y1)/3,(t._x0+4*t._x1+e)/6,(t._y0+4*t._y1+n)/6)}function Vs(t){this._context=t}Vs.prototype={areaStart:function(){this._line=0},areaEnd:function(){this._line=NaN},lineStart:function(){this._x0=this._x1=this._y0=this._y1=NaN,this._point=0},lineEnd:function(){switch(this._point){case 3:Nn(this,this._x1,this._y1);case 2:this._context.lineTo(this._x1,this._y1);break}(this._line||this._line!==0&&this._point===1)&&this._context.closePath(),this._line=1-this._line},point:function(t,e){switch(t=+t,e=+e,this._point){case 0:this._point=1,this._line?this._context.lineTo(t,e):this._context.moveTo(t,e);break;case 1:this._point=2;break;case 2:this._point=3,this._context.lineTo((5*this._x0+this._x1)/6,(5*this._y0+this._y1)/6);default:Nn(this,t,e);break}this._x0=this._x1,this._x1=t,this._y0=this._y1,this._y1=e}};function Bp(t){this._context=t}Bp.prototype={areaStart:Ft,areaEnd:Ft,lineStart:function(){this._x0=this._x1=this._x2=this._x3=this._x4=this._y0=this._y1=this._y2=this._y3=this._y4=NaN,this._point=0},lineEnd:function(){switch(this._point){case 1:{this._context.moveTo(this._x2,this._y2),this._context.closePath();break}case 2:{this._context.moveTo((this._x2+2*this._x3)/3,(this._y2+2*this._y3)/3),this._context.lineTo((this._x3+2*this._x2)/3,(this._y3+2*this._y2)/3),this._context.closePath();break}case 3:{this.point(this._x2,this._y2),this.point(this._x3,this._y3),this.point(this._x4,this._y4);break}}},point:function(t,e){switch(t=+t,e=+e,this._point){case 0:this._point=1,this._x2=t,this._y2=e;break;case 1:this._point=2,this._x3=t,this._y3=e;break;case 2:this._point=3,this._x4=t,this._y4=e,this._context.moveTo((this._x0+4*this._x1+t)/6,(this._y0+4*this._y1+e)/6);break;default:Nn(this,t,e);break}this._x0=this._x1,this._x1=t,this._y0=this._y1,this._y1=e}};function Hp(t){this._context=t}Hp.prototype={areaStart:function(){this._line=0},areaEnd:function(){this._line=NaN},lineStart:function(){this._x0=this._x1=this._y0=this._y1=NaN,this._point=0},lineEnd:function(){(this._line||this._line!==0&&this._point===3)&&this._context.closePath(),this._line=1-this._line},point:function(t,e){switch(t=+t,e=+e,this._point){case 0:this._point=1;break;case 1:this._point=2;break;case 2:this._point=3;var n=(this._x0+4*this._x1+t)/6,s=(this._y0+4*this._y1+e)/6;this._line?this._context.lineTo(n,s):this._context.moveTo(n,s);break;case 3:this._point=4;default:Nn(this,t,e);break}this._x0=this._x1,this._x1=t,this._y0=this._y1,this._y1=e}};function Ea(t,e){this._basis=new Vs(t),this._beta=e}Ea.prototype={lineStart:function(){this._x=[],this._y=[],this._basis.lineStart()},lineEnd:function(){var t=this._x,e=this._y,n=t.length-1;if(n>0)for(var s=t[0],o=e[0],r=t[n]-s,a=e[n]-o,i=-1,l;++i<=n;)l=i/n,this._basis.point(this._beta*t[i]+(1-this._beta)*(s+l*r),this._beta*e[i]+(1-this._beta)*(o+l*a));this._x=this._y=null,this._basis.lineEnd()},point:function(t,e){this._x.push(+t),this._y.push(+e)}};var Ym=(function t(e){function n(s){return e===1?new Vs(s):new Ea(s,e)}return n.beta=function(s){return t(+s)},n})(.85);function Cn(t,e,n){t._context.bezierCurveTo(t._x1+t._k*(t._x2-t._x0),t._y1+t._k*(t._y2-t._y0),t._x2+t._k*(t._x1-e),t._y2+t._k*(t._y1-n),t._x2,t._y2)}function Xs(t,e){this._context=t,this._k=(1-e)/6}Xs.prototype={areaStart:function(){this._line=0},areaEnd:function(){this._line=NaN},lineStart:function(){this._x0=this._x1=this._x2=this._y0=this._y1=this._y2=NaN,this._point=0},lineEnd:function(){switch(this._point){case 2:this._context.lineTo(this._x2,this._y2);break;case 3:Cn(this,this._x1,this._y1);break}(this._line||this._line!==0&&this._point===1)&&this._context.closePath(),this._line=1-this._line},point:function(t,e){switch(t=+t,e=+e,this._point){case 0:this._point=1,this._line?this._context.lineTo(t,e):this._context.moveTo(t,e);break;case 1:this._point=2,this._x1=t,this._y1=e;break;case 2:this._point=3;default:Cn(this,t,e);break}this._x0=this._x1,this._x1=this._x2,this._x2=t,this._y0=this._y1,this._y1=this._y2,this._y2=e}};var Qm=(function t(e){function n(s){return new Xs(s,e)}return n.tension=function(s){return t(+s)},n})(0);function Gs(t,e){this._context=t,this._k=(1-e)/6}Gs.prototype={areaStart:Ft,areaEnd:Ft,lineStart:function(){this._x0=this._x1=this._x2=this._x3=this._x4=this._x5=this._y0=this._y1=this._y2=this._y3=this._y4=this._y5=NaN,this._point=0},lineEnd:function(){switch(this._point){case 1:{this._context.moveTo(this._x3,this._y3),this._context.closePath();break}case 2:{this._context.lineTo(this._x3,this._y3),this._context.closePath();break}case 3:{this.point(this._x3,this._y3),this.point(this._x4,this._y4),this.point(this._x5,this._y5);break}}},point:function(t,e){switch(t=+t,e=+e,this._point){case 0:this._point=1,this._x3=t,this._y3=e;break;case 1:this._point=2,this._context.moveTo(this._x4=t,this._y4=e);break;case 2:this._point=3,this._x5=t,this._y5=e;break;default:Cn(this,t,e);break}this._x0=this._x1,this._x1=this._x2,this._x2=t,this._y0=this._y1,this._y1=this._y2,this._y2=e}};var Zm=(function t(e){function n(s){return new Gs(s,e)}return n.tension=function(s){return t(+s)},n})(0);function Js(t,e){this._context=t,this._k=(1-e)/6}Js.prototype={areaStart:function(){this._line=0},areaEnd:function(){this._line=NaN},lineStart:function(){this._x0=this._x1=this._x2=this._y0=this._y1=this._y2=NaN,this._point=0},lineEnd:function(){(this._line||this._line!==0&&this._point===3)&&this._context.closePath(),this._line=1-this._line},point:function(t,e){switch(t=+t,e=+e,this._point){case 0:this._point=1;break;case 1:this._point=2;break;case 2:this._point=3,this._line?this._context.lineTo(this._x2,this._y2):this._context.moveTo(this._x2,this._y2);break;case 3:this._point=4;default:Cn(this,t,e);break}this._x0=this._x1,this._x1=this._x2,this._x2=t,this._y0=this._y1,this._y1=this._y2,this._y2=e}};var tf=(function t(e){function n(s){return new Js(s,e)}return n.tension=function(s){return t(+s)},n})(0);function Ys(t,e,n){var s=t._x1,o=t._y1,r=t._x2,a=t._y2;if(t._l01_a>Ir){var i=2*t._l01_2a+3*t._l01_a*t._l12_a+t._l12_2a,l=3*t._l01_a*(t._l01_a+t._l12_a);s=(s*i-t._x0*t._l12_2a+t._x2*t._l01_2a)/l,o=(o*i-t._y0*t._l12_2a+t._y2*t._l01_2a)/l}if(t._l23_a>Ir){var c=2*t._l23_2a+3*t._l23_a*t._l12_a+t._l12_2a,p=3*t._l23_a*(t._l23_a+t._l12_a);r=(r*c+t._x1*t._l23_2a-e*t._l12_2a)/p,a=(a*c+t._y1*t._l23_2a-n*t._l12_2a)/p}t._context.bezierCurveTo(s,o,r,a,t._x2,t._y2)}function Oa(t,e){this._context=t,this._alpha=e}Oa.prototype={areaStart:function(){this._line=0},areaEnd:function(){this._line=NaN},lineStart:function(){this._x0=this._x1=this._x2=this._y0=this._y1=this._y2=NaN,this._l01_a=this._l12_a=this._l23_a=this._l01_2a=this._l12_2a=this._l23_2a=this._point=0},lineEnd:function(){switch(this._point){case 2:this._context.lineTo(this._x2,this._y2);break;case 3:this.point(this._x2,this._y2);break}(this._line||this._line!==0&&this._point===1)&&this._context.closePath(),this._line=1-this._line},point:function(t,e){if(t=+t,e=+e,this._point){var n=this._x2-t,s=this._y2-e;this._l23_a=Math.sqrt(this._l23_2a=Math.pow(n*n+s*s,this._alpha))}switch(this._point){case 0:this._point=1,this._line?this._context.lineTo(t,e):this._context.moveTo(t,e);break;case 1:this._point=2;break;case 2:this._point=3;default:Ys(this,t,e);break}this._l01_a=this._l12_a,this._l12_a=this._l23_a,this._l01_2a=this._l12_2a,this._l12_2a=this._l23_2a,this._x0=this._x1,this._x1=this._x2,this._x2=t,this._y0=this._y1,this._y1=this._y2,this._y2=e}};var ef=(function t(e){function n(s){return e?new Oa(s,e):new Xs(s,0)}return n.alpha=function(s){return t(+s)},n})(.5);function Pa(t,e){this._context=t,this._alpha=e}Pa.prototype={areaStart:Ft,areaEnd:Ft,lineStart:function(){this._x0=this._x1=this._x2=this._x3=this._x4=this._x5=this._y0=this._y1=this._y2=this._y3=this._y4=this._y5=NaN,this._l01_a=this._l12_a=this._l23_a=this._l01_2a=this._l12_2a=this._l23_2a=this._point=0},lineEnd:function(){switch(this._point){case 1:{this._context.moveTo(this._x3,this._y3),this._context.closePath();break}case 2:{this._context.lineTo(this._x3,this._y3),this._context.closePath();break}case 3:{this.point(this._x3,this._y3),this.point(this._x4,this._y4),this.point(this._x5,this._y5);break}}},point:function(t,e){if(t=+t,e=+e,this._point){var n=this._x2-t,s=this._y2-e;this._l23_a=Math.sqrt(this._l23_2a=Math.pow(n*n+s*s,this._alpha))}switch(this._point){case 0:this._point=1,this._x3=t,this._y3=e;break;case 1:this._point=2,this._context.moveTo(this._x4=t,this._y4=e);break;case 2:this._point=3,this._x5=t,this._y5=e;break;default:Ys(this,t,e);break}this._l01_a=this._l12_a,this._l12_a=this._l23_a,this._l01_2a=this._l12_2a,this._l12_2a=this._l23_2a,this._x0=this._x1,this._x1=this._x2,this._x2=t,this._y0=this._y1,this._y1=this._y2,this._y2=e}};var nf=(function t(e){function n(s){return e?new Pa(s,e):new Gs(s,0)}return n.alpha=function(s){return t(+s)},n})(.5);function La(t,e){this._context=t,this._alpha=e}La.prototype={areaStart:function(){this._line=0},areaEnd:function(){this._line=NaN},lineStart:function(){this._x0=this._x1=this._x2=this._y0=this._y1=this._y2=NaN,this._l01_a=this._l12_a=this._l23_a=this._l01_2a=this._l12_2a=this._l23_2a=this._point=0},lineEnd:function(){(this._line||this._line!==0&&this._point===3)&&this._context.closePath(),this._line=1-this._line},point:function(t,e){if(t=+t,e=+e,this._point){var n=this._x2-t,s=this._y2-e;this._l23_a=Math.sqrt(this._l23_2a=Math.pow(n*n+s*s,this._alpha))}switch(this._point){case 0:this._point=1;break;case 1:this._point=2;break;case 2:this._point=3,this._line?this._context.lineTo(this._x2,this._y2):this._context.moveTo(this._x2,this._y2);break;case 3:this._point=4;default:Ys(this,t,e);break}this._l01_a=this._l12_a,this._l12_a=this._l23_a,this._l01_2a=this._l12_2a,this._l12_2a=this._l23_2a,this._x0=this._x1,this._x1=this._x2,this._x2=t,this._y0=this._y1,this._y1=this._y2,this._y2=e}};var sf=(function t(e){function n(s){return e?new La(s,e):new Js(s,0)}return n.alpha=function(s){return t(+s)},n})(.5);function Up(t){this._context=t}Up.prototype={areaStart:Ft,areaEnd:Ft,lineStart:function(){this._point=0},lineEnd:function(){this._point&&this._context.closePath()},point:function(t,e){t=+t,e=+e,this._point?this._context.lineTo(t,e):(this._point=1,this._context.moveTo(t,e))}};function Wr(t){return t<0?-1:1}function Br(t,e,n){var s=t._x1-t._x0,o=e-t._x1,r=(t._y1-t._y0)/(s||o<0&&-0),a=(n-t._y1)/(o||s<0&&-0),i=(r*o+a*s)/(s+o);return(Wr(r)+Wr(a))*Math.min(Math.abs(r),Math.abs(a),.5*Math.abs(i))||0}function Hr(t,e){var n=t._x1-t._x0;return n?(3*(t._y1-t._y0)/n-e)/2:e}function Ss(t,e,n){var s=t._x0,o=t._y0,r=t._x1,a=t._y1,i=(r-s)/3;t._context.bezierCurveTo(s+i,o+i*e,r-i,a-i*n,r,a)}function Rs(t){this._context=t}Rs.prototype={areaStart:function(){this._line=0},areaEnd:function(){this._line=NaN},lineStart:function(){this._x0=this._x1=this._y0=this._y1=this._t0=NaN,this._point=0},lineEnd:function(){switch(this._point){case 2:this._context.lineTo(this._x1,this._y1);break;case 3:Ss(this,this._t0,Hr(this,this._t0));break}(this._line||this._line!==0&&this._point===1)&&this._context.closePath(),this._line=1-this._line},point:function(t,e){var n=NaN;if(t=+t,e=+e,!(t===this._x1&&e===this._y1)){switch(this._point){case 0:this._point=1,this._line?this._context.lineTo(t,e):this._context.moveTo(t,e);break;case 1:this._point=2;break;case 2:this._point=3,Ss(this,Hr(this,n=Br(this,t,e)),n);break;default:Ss(this,this._t0,n=Br(this,t,e));break}this._x0=this._x1,this._x1=t,this._y0=this._y1,this._y1=e,this._t0=n}}};function Kp(t){this._context=new za(t)}(Kp.prototype=Object.create(Rs.prototype)).point=function(t,e){Rs.prototype.point.call(this,e,t)};function za(t){this._context=t}za.prototype={moveTo:function(t,e){this._context.moveTo(e,t)},closePath:function(){this._context.closePath()},lineTo:function(t,e){this._context.lineTo(e,t)},bezierCurveTo:function(t,e,n,s,o,r){this._context.bezierCurveTo(e,t,s,n,r,o)}};function Vp(t){this._context=t}Vp.prototype={areaStart:function(){this._line=0},areaEnd:function(){this._line=NaN},lineStart:function(){this._x=[],this._y=[]},lineEnd:function(){var t=this._x,e=this._y,n=t.length;if(n)if(this._line?this._context.lineTo(t[0],e[0]):this._context.moveTo(t[0],e[0]),n===2)this._context.lineTo(t[1],e[1]);else for(var s=Ur(t),o=Ur(e),r=0,a=1;a<n;++r,++a)this._context.bezierCurveTo(s[0][r],o[0][r],s[1][r],o[1][r],t[a],e[a]);(this._line||this._line!==0&&n===1)&&this._context.closePath(),this._line=1-this._line,this._x=this._y=null},point:function(t,e){this._x.push(+t),this._y.push(+e)}};function Ur(t){var e,n=t.length-1,s,o=new Array(n),r=new Array(n),a=new Array(n);for(o[0]=0,r[0]=2,a[0]=t[0]+2*t[1],e=1;e<n-1;++e)o[e]=1,r[e]=4,a[e]=4*t[e]+2*t[e+1];for(o[n-1]=2,r[n-1]=7,a[n-1]=8*t[n-1]+t[n],e=1;e<n;++e)s=o[e]/r[e-1],r[e]-=s,a[e]-=s*a[e-1];for(o[n-1]=a[n-1]/r[n-1],e=n-2;e>=0;--e)o[e]=(a[e]-o[e+1])/r[e];for(r[n-1]=(t[n]+o[n-1])/2,e=0;e<n-1;++e)r[e]=2*t[e+1]-o[e+1];return[o,r]}function Xp(t,e){this._context=t,this._t=e}Xp.prototype={areaStart:function(){this._line=0},areaEnd:function(){this._line=NaN},lineStart:function(){this._x=this._y=NaN,this._point=0},lineEnd:function(){0<this._t&&this._t<1&&this._point===2&&this._context.lineTo(this._x,this._y),(this._line||this._line!==0&&this._point===1)&&this._context.closePath(),this._line>=0&&(this._t=1-this._t,this._line=1-this._line)},point:function(t,e){switch(t=+t,e=+e,this._point){case 0:this._point=1,this._line?this._context.lineTo(t,e):this._context.moveTo(t,e);break;case 1:this._point=2;default:{if(this._t<=0)this._context.lineTo(this._x,e),this._context.lineTo(t,e);else{var n=this._x*(1-this._t)+t*this._t;this._context.lineTo(n,this._y),this._context.lineTo(n,e)}break}}this._x=t,this._y=e}};var Gp=Math.random().toString(36).slice(2,8),Jp=0,Y=()=>j(()=>`r${Gp}-${++Jp}`)[0];function L(t,e=3){if(t==null||Number.isNaN(t))return"–";if(t===0)return"0";let n=Math.abs(t);return n===1/0?t>0?"∞":"−∞":(n<10**-e||n>=1e7?t.toExponential(e-1).replace("e+","e"):Yp(t,e)).replace("-","−").replace("e-","e−")}function Yp(t,e){let n=Math.abs(t);return Number.isInteger(t)||n>=10**e?Math.round(t).toLocaleString("en"):t.toFixed(Math.max(0,e-Math.max(0,Math.floor(Math.log10(n)))))}function En(t){let e=Math.abs(t);for(let[n,s]of[[1e15,"P"],[1e12,"T"],[1e9,"G"],[1e6,"M"],[1e3,"K"]])if(e>=n)return`${(t/n).toPrecision(3)} ${s}`;return L(t)}function Ra(t){let e=Object.keys(t),n=[];if(e.length===1&&t[e[0]].shape.length===2){let{shape:s,data:o,rows:r,columns:a}=t[e[0]],i=a??Array.from({length:s[1]},(l,c)=>c);n.push([e[0],...i]);for(let l=0;l<s[0];l++)n.push([r?.[l]??l,...Array.from({length:s[1]},(c,p)=>o[l*s[1]+p])])}else{let s=Math.max(0,...e.map(o=>t[o].shape.length));n.push(["array",...Array.from({length:s},(o,r)=>`index ${r}`),"value"]);for(let o of e){let{shape:r,data:a}=t[o];for(let i=0;i<a.length;i++){let l=new Array(s).fill("");for(let c=r.length-1,p=i;c>=0;c--)l[c]=p%r[c],p=Math.floor(p/r[c]);n.push([o,...l,a[i]])}}}return n.map(s=>s.map(Qp).join(",")).join(`\r
`)+`\r
`}function Qp(t){if(t==null)return"";if(typeof t=="number")return String(t);let e=/^[=+\-@\t\r]/.test(t)?`'${t}`:String(t);return/[",\r\n]/.test(e)?`"${e.replaceAll('"','""')}"`:e}var J={left:66,right:22,top:10,bottom:42};function Tt({series:t,label:e,xLabel:n,yLabel:s,logX:o,logY:r,marks:a=[],height:i=260,xMin:l,yMin:c,says:p=L}){let[u,h]=et(),m=Y(),[f,g]=j(null),$=t.map(v=>({...v,points:v.x.map((E,C)=>[E,v.y[C]]).filter(([E,C])=>At(E,o)&&At(C,r))})),y=$.flatMap(v=>v.points.map(([E])=>E)).concat(a.map(v=>v.x).filter(v=>At(v,o))),w=$.flatMap(v=>[...v.points.map(([,E])=>E),...v.low??[],...v.high??[]]).filter(v=>At(v,r)),b=Qs(y,o,[J.left,Math.max(h-J.right,J.left+10)],l),x=Qs(w,r,[i-J.bottom,J.top],c),k=De().defined(([v,E])=>At(v,o)&&At(E,r)).x(([v])=>b(v)).y(([,v])=>x(v)),P=[...new Set(y)].sort((v,E)=>v-E),M=v=>{let E=v.clientX-v.currentTarget.getBoundingClientRect().left;P.length&&g(P.reduce((C,z)=>Math.abs(b(z)-E)<Math.abs(b(C)-E)?z:C))},O=v=>{let E={ArrowRight:1,ArrowLeft:-1}[v.key];!E||!P.length||(v.preventDefault(),g(P[Math.max(0,Math.min(P.length-1,(f===null?-1:P.indexOf(f))+E))]))},N=f===null?[]:$.map((v,E)=>({name:v.name,i:E,y:v.points.find(([C])=>C===f)?.[1]})).filter(v=>v.y!==void 0);return d`<figure class="chart" ref=${u}>
    ${t.length>1&&d`<ul class="keys">${t.map((v,E)=>d`<li><svg width="26" height="8" aria-hidden="true"><line x1="0" x2="26" y1="4" y2="4" class=${v.class??_t[E%6]} stroke-dasharray=${Ce[E%6]} /></svg>${v.name}</li>`)}</ul>`}
    ${h>0&&d`<svg width=${h} height=${i} tabindex="0" role="img" aria-label=${`${e}. ${Zp($,n,p)}`} aria-describedby=${m}
      onPointerMove=${M} onPointerLeave=${()=>g(null)} onKeyDown=${O} onBlur=${()=>g(null)}>
      <${ja} x=${b} y=${x} logX=${o} logY=${r} xLabel=${n} yLabel=${s} width=${h} height=${i} says=${p} />
      ${a.map(v=>At(v.x,o)&&d`<g class="mark"><line x1=${b(v.x)} x2=${b(v.x)} y1=${J.top} y2=${i-J.bottom} />
        <text x=${b(v.x)+4} y=${J.top+10}>${v.name}</text></g>`)}
      ${$.map((v,E)=>d`<g>
        ${v.low&&d`<path class=${`band ${v.class??_t[E%6]}`} d=${Ca().x((C,z)=>b(v.x[z])).y0((C,z)=>x(v.low[z])).y1((C,z)=>x(v.high[z]))(v.x)} />`}
        <path class=${`curve ${v.class??_t[E%6]}`} stroke-dasharray=${Ce[E%6]} d=${k(v.points)} />
        ${v.points.length<2&&v.points.map(([C,z])=>d`<circle class=${`dot ${v.class??_t[E%6]}`} cx=${b(C)} cy=${x(z)} r="3" />`)}
      </g>`)}
      ${f!==null&&d`<line class="reading" x1=${b(f)} x2=${b(f)} y1=${J.top} y2=${i-J.bottom} />
        ${N.map(v=>d`<circle class=${`dot ${$[v.i].class??_t[v.i%6]}`} cx=${b(f)} cy=${x(v.y)} r="3.5" />`)}`}
    </svg>`}
    <figcaption id=${m} class="reading" aria-live="polite">${f===null?d`<span class="hint">point, or use the arrow keys, to read numbers</span>`:d`${n} ${p(f)}: ${N.map((v,E)=>d`${E?" · ":""}${v.name} <b>${p(v.y)}</b>`)}`}</figcaption>
  </figure>`}var At=(t,e)=>Number.isFinite(t)&&(!e||t>0);function Qs(t,e,n,s){let[o,r]=t.length?[Math.min(...t),Math.max(...t)]:[e?1:0,e?10:1];s!==void 0&&(o=Math.min(o,s)),o===r&&([o,r]=e?[o/2,r*2]:[o-.5,r+.5]);let a=(e?Hs():Re()).domain([o,r]).range(n);return e&&r/o<1e3?a:a.nice()}function Zp(t,e,n){return t.filter(s=>s.points.length).map(s=>`${s.name}: ${n(s.points[0][1])} at ${e} ${n(s.points[0][0])}, ${n(s.points.at(-1)[1])} at ${n(s.points.at(-1)[0])}`).join("; ")}function ja({x:t,y:e,logX:n,logY:s,xLabel:o,yLabel:r,width:a,height:i,says:l}){let c=(u,h,m)=>{let f=u.ticks(m);return h?f.filter(g=>f.length<=m+2||Number.isInteger(Math.round(Math.log10(g)*1e9)/1e9)):f},p=i-J.bottom;return d`<g class="axes">
    ${c(e,s,5).map(u=>d`<g><line x1=${J.left} x2=${a-J.right} y1=${e(u)} y2=${e(u)} /><text x=${J.left-7} y=${e(u)} dy="0.35em" text-anchor="end">${Da(u,l)}</text></g>`)}
    ${t&&c(t,n,Math.max(2,Math.floor(a/90))).map(u=>d`<g><line x1=${t(u)} x2=${t(u)} y1=${p} y2=${p+4} /><text x=${t(u)} y=${p+17} text-anchor="middle">${Da(u,l)}</text></g>`)}
    <text class="name" x=${(J.left+a-J.right)/2} y=${i-6} text-anchor="middle">${o}</text>
    <text class="name" transform=${`translate(13,${(J.top+p)/2}) rotate(-90)`} text-anchor="middle">${r}</text>
  </g>`}var Da=(t,e)=>Math.abs(t)>=1e4?En(t):e(t,3).replace(/(\.\d*?)0+$/,"$1").replace(/\.$/,"");function qa({names:t,groups:e,label:n,yLabel:s,logY:o,height:r=240,says:a=L}){let[i,l]=et(),c=Object.entries(e),p=c.flatMap(([,g])=>g).filter(g=>At(g,o)),u=Qs(o?p:[...p,0],o,[r-J.bottom,J.top]),h=(l-J.left-J.right)/Math.max(t.length,1),m=Math.min(38,h*.72/c.length),f=o?r-J.bottom:u(0);return d`<figure class="chart" ref=${i}>
    ${c.length>1&&d`<ul class="keys">${c.map(([g],$)=>d`<li><svg width="12" height="12" aria-hidden="true"><rect width="12" height="12" rx="2" class=${_t[$%6]} /></svg>${g}</li>`)}</ul>`}
    ${l>0&&d`<svg width=${l} height=${r} role="img" aria-label=${`${n}. ${c.map(([g,$])=>t.map((y,w)=>`${y} ${g} ${a($[w])}`).join(", ")).join("; ")}`}>
      <${ja} x=${null} y=${u} logY=${o} xLabel="" yLabel=${s} width=${l} height=${r} says=${a} />
      ${t.map((g,$)=>d`<g>
        ${c.map(([y,w],b)=>At(w[$],o)&&d`<rect class=${_t[b%6]} rx="2" x=${J.left+($+.5)*h-c.length*m/2+b*m} width=${m*.92}
          y=${Math.min(u(w[$]),f)} height=${Math.abs(f-u(w[$]))}><title>${`${g}, ${y}: ${a(w[$])}`}</title></rect>`)}
        <text class="tick" x=${J.left+($+.5)*h} y=${r-J.bottom+17} text-anchor="middle">${g.length>h/6?`${g.slice(0,Math.max(2,Math.floor(h/6)-1))}…`:g}</text>
      </g>`)}
    </svg>`}
  </figure>`}function Et({off:t,onClick:e,children:n,...s}){return d`<button ...${s} aria-disabled=${t?"true":null} onClick=${t?null:e}>${n}</button>`}function at({label:t,value:e,min:n,max:s,step:o,onChange:r,says:a=L,disabled:i}){let l=Y();return d`<div class="control">
    <label for=${l}>${t}</label>
    <input id=${l} type="range" min=${n} max=${s} step=${o} value=${e} disabled=${i}
      aria-valuetext=${a(e)} onInput=${c=>r(Number(c.target.value))} />
    <output for=${l}>${a(e)}</output>
  </div>`}function it({label:t,value:e,options:n,onChange:s}){let o=Y();return d`<fieldset class="choice"><legend>${t}</legend><div>
    ${n.map(([r,a])=>d`<label><input type="radio" name=${o} value=${r} checked=${r===e}
        onChange=${()=>s(r)} /><span>${a}</span></label>`)}
  </div></fieldset>`}function st({label:t,value:e,options:n,onChange:s,hidden:o}){let r=Y(),a=([i,l])=>Array.isArray(l)?d`<optgroup label=${i}>${l.map(a)}</optgroup>`:d`<option value=${i} selected=${String(i)===String(e)}>${l}</option>`;return d`<div class="control">
    <label for=${r} class=${o?"unseen":""}>${t}</label>
    <select id=${r} onChange=${i=>s(i.target.value)}>${n.map(a)}</select>
  </div>`}function yt({label:t,value:e,onChange:n}){return d`<label class="toggle"><input type="checkbox" checked=${e}
    onChange=${s=>n(s.target.checked)} /><span>${t}</span></label>`}function Ot({label:t,value:e,onChange:n,live:s,lines:o,placeholder:r,spellcheck:a=!1,max:i}){let l=Y(),[c,p]=j(null),u=()=>(c!==null&&c!==e&&n(c),p(null)),h={id:l,placeholder:r,spellcheck:a,maxLength:i,value:c??e,onInput:m=>s?n(m.target.value):p(m.target.value),onBlur:u,onKeyDown:m=>m.key==="Enter"&&(!o||m.ctrlKey||m.metaKey)&&u()};return d`<div class="control text"><label for=${l}>${t}</label>
    ${o?d`<textarea rows=${o} ...${h}></textarea>`:d`<input type="text" ...${h} />`}</div>`}function $e({label:t,value:e,step:n=.1,onChange:s,disabled:o}){let[r,a]=j(null),i=D(null),l=D(null),c=u=>Number(u.toFixed(6)),p=u=>{a(null);let h=Number(String(u).replace("−","-").replace(",","."));if(String(u).trim()!==""&&Number.isFinite(h)&&Math.abs(h)<=1e6)return s(h);l.current.setCustomValidity("a number from −1,000,000 to 1,000,000"),l.current.reportValidity(),setTimeout(()=>l.current?.setCustomValidity(""),2500)};return d`<input ref=${l} class="cell" type="text" inputmode="decimal" aria-label=${t} disabled=${o}
    value=${r??String(e).replace("-","−")}
    onInput=${u=>a(u.target.value)}
    onBlur=${u=>r!==null&&p(u.target.value)}
    onKeyDown=${u=>{let h={ArrowUp:1,ArrowDown:-1,PageUp:10,PageDown:-10}[u.key];u.key==="Enter"?p(u.target.value):u.key==="Escape"?a(null):h&&(u.preventDefault(),s(c(e+h*n)))}}
    onPointerDown=${u=>i.current={x:u.clientX,from:e,id:u.pointerId}}
    onPointerMove=${u=>{let h=i.current;!h||Math.abs(u.clientX-h.x)<4&&!h.moving||(h.moving=!0,u.target.setPointerCapture(h.id),s(c(h.from+Math.round((u.clientX-h.x)/4)*n)))}}
    onPointerUp=${()=>i.current=null}
    onPointerCancel=${()=>i.current=null} />`}function ge(t,e,n,s=n){let o={ArrowRight:1,ArrowLeft:-1,ArrowDown:s,ArrowUp:-s,Home:-e,End:n-1-e}[t.key];if(o===void 0)return null;t.preventDefault();let r=e+o;return r<0||r>=n?e:r}var tu=".control, .choice, .toggle, progress, select, textarea, input:not(.cell), button:not(.quiet, th button, :has(> svg))",eu=`[data-unpictured], script, style, noscript, template, title, ${tu}`;function to(t,e=""){let n=t.getBoundingClientRect(),[s,o]=[Math.ceil(n.width)+32,Math.ceil(n.height)+32],r={clips:0,defs:""},a=gt(nu(t))??{fill:"#ffffff"},i=nt("g",{transform:`translate(${qe(16-n.left)},${qe(16-n.top)})`},Wa(t,r));return`<?xml version="1.0" encoding="UTF-8"?>
${nt("svg",{xmlns:"http://www.w3.org/2000/svg","xmlns:xlink":"http://www.w3.org/1999/xlink",width:s,height:o,viewBox:`0 0 ${s} ${o}`},`${nt("title",{},Fe(e)||" ")}${r.defs&&nt("defs",{},r.defs)}${nt("rect",{width:s,height:o,...a})}${i}`)}
`}async function Ia(t,e=2){let n=URL.createObjectURL(new Blob([t],{type:"image/svg+xml"}));try{let s=new Image;s.src=n,await s.decode();let{naturalWidth:o,naturalHeight:r}=s,a=Math.min(e,16e3/Math.max(o,r),Math.sqrt(2e8/(o*r))),i=document.createElement("canvas");[i.width,i.height]=[Math.round(o*a),Math.round(r*a)],i.getContext("2d").drawImage(s,0,0,i.width,i.height);let l=await new Promise(c=>i.toBlob(c,"image/png"));if(!l)throw new Error("the figure is too large for a PNG; save it as SVG");return l}finally{URL.revokeObjectURL(n)}}function nu(t){for(let e=t;e;e=e.parentElement){let{backgroundColor:n}=getComputedStyle(e);if(gt(n)?.["fill-opacity"]===null)return n}return"rgb(255, 255, 255)"}function Wa(t,e){if(t.matches(eu))return"";let n=getComputedStyle(t),s=Number(n.opacity),o=/inset\((50|100)%/.test(n.clipPath);if(n.display==="none"||s===0||o)return"";let r=t.getBoundingClientRect(),a=n.visibility==="visible"&&n.display!=="contents",i=n.display==="inline"?[...t.getClientRects()]:[r],l=a?i.map(u=>ou(t,n,u)).join(""):"",c={canvas:cu,svg:hu,img:pu,input:au}[t.localName],p=l;if(c)p+=a?c(t,n,r):"";else{t.localName==="mfrac"&&t.children.length===2&&(p+=iu(t,n,r)),t.localName==="msqrt"&&(p+=lu(t,n,r));let u=[...t.childNodes].map(h=>{if(h.nodeType===Node.TEXT_NODE)return n.visibility==="visible"?ru(h,n):"";let m=t.localName==="details"&&!t.open&&h.localName!=="summary";return h.nodeType!==Node.ELEMENT_NODE||m?"":Wa(h,e)});p+=su(t,n,r,e,u.join(""))}return s<1&&p?nt("g",{opacity:s},p):p}function su(t,e,n,s,o){let r=[e.overflowX,e.overflowY].some(c=>c!=="visible")&&t!==document.body,a=t.scrollWidth>t.clientWidth+1||t.scrollHeight>t.clientHeight+1;if(!o||!r||!a)return o;let i=`clip-${++s.clips}`,l={x:n.left+t.clientLeft,y:n.top+t.clientTop,width:t.clientWidth,height:t.clientHeight};return s.defs+=nt("clipPath",{id:i},nt("rect",l)),nt("g",{"clip-path":`url(#${i})`},o)}function ou(t,e,{left:n,top:s,width:o,height:r}){if(o<=0||r<=0)return"";let a=Math.min(parseFloat(e.borderTopLeftRadius)||0,o/2,r/2),i=($,y)=>nt("rect",{x:n-$,y:s-$,width:o+2*$,height:r+2*$,rx:a?a+$:null,...y}),l=($,y,w)=>i(w,{fill:"none",...gt(y,"stroke"),"stroke-width":$}),c=gt(e.backgroundColor),p=c?i(0,c):"",[u,h,m,f]=["Top","Right","Bottom","Left"].map($=>({size:e[`border${$}Style`]==="none"?0:parseFloat(e[`border${$}Width`]),colour:e[`border${$}Color`]}));if([h,m,f].every(({size:$,colour:y})=>$===u.size&&y===u.colour))u.size>0&&gt(u.colour)&&(p+=l(u.size,u.colour,-u.size/2));else{let[$,y]=[n+o,s+r],w=[[u,n,s,$,s],[h,$,s,$,y],[m,n,y,$,y],[f,n,s,n,y]];for(let[{size:b,colour:x},k,P,M,O]of w){let N=b>0&&gt(x,"stroke");N&&(p+=nt("line",{x1:k,y1:P,x2:M,y2:O,...N,"stroke-width":b}))}}let g=parseFloat(e.outlineWidth);return e.outlineStyle==="solid"&&g>0&&!t.matches(":focus")&&(p+=l(g,e.outlineColor,parseFloat(e.outlineOffset)+g/2)),p}function ru(t,e){let n=t.data,s=n.search(/\S/);if(s<0)return"";let o=document.createRange(),r=(c,p)=>(o.setStart(t,c),o.setEnd(t,p),[...o.getClientRects()].filter(u=>u.width>0&&u.height>0)),a=n.trimEnd().length,i=r(s,a);if(!i.length)return"";if(new Set(i.map(c=>Math.round(c.top))).size===1)return Fa(n.slice(s,a),e,i[0],i.at(-1));let l=[];for(let c=s;c<a;){let p=n.codePointAt(c)>65535?2:1,u=r(c,c+p).at(-1),h=l.at(-1);u&&(!h||Math.abs(u.top-h.from.top)>u.height/2)?l.push({text:n.slice(c,c+p),from:u,to:u}):u?(h.text+=n.slice(c,c+p),/\S/.test(n[c])&&(h.to=u)):h&&(h.text+=n.slice(c,c+p)),c+=p}return l.map(c=>Fa(c.text,e,c.from,c.to)).join("")}function Fa(t,e,n,s){let r=/^(pre|break-spaces)/.test(e.whiteSpace)?t.replace(/[\r\n]+/g,"").replaceAll(" "," "):t.replace(/\s+/g," ").trim(),a=e.textTransform==="uppercase"?r.toUpperCase():r,i=gt(e.color);if(!i||!a.trim())return"";let{up:l,down:c}=Ba(e),p=a.length>1&&s.right>n.left?s.right-n.left:null,u=e.fontStyle!=="normal"||e.textTransform==="math-auto"&&/^\p{L}$/u.test(a);return nt("text",{x:n.left,y:n.top+n.height*l/(l+c),...i,textLength:p,lengthAdjust:p===null?null:"spacingAndGlyphs","font-family":e.fontFamily,"font-size":parseFloat(e.fontSize),"font-weight":e.fontWeight==="400"?null:e.fontWeight,"font-style":u?"italic":null},Fe(a))}var Zs=new Map;function Ba(t){let e=`${t.fontStyle} ${t.fontWeight} ${t.fontSize} ${t.fontFamily}`;if(!Zs.has(e)){let n=document.createElement("canvas").getContext("2d");n.font=e;let{fontBoundingBoxAscent:s,fontBoundingBoxDescent:o}=n.measureText("x");Zs.set(e,{up:s,down:o})}return Zs.get(e)}function au(t,e,n){let{up:s,down:o}=Ba(e),r=n.right-parseFloat(e.paddingRight)-parseFloat(e.borderRightWidth),a={"font-family":e.fontFamily,"font-size":parseFloat(e.fontSize),"text-anchor":"end"};return nt("text",{x:r,y:n.top+n.height/2+(s-o)/2,...gt(e.color),...a},Fe(t.value))}function iu(t,e,n){let[s,o]=[...t.children].map(i=>i.getBoundingClientRect()),r=(s.bottom+o.top)/2,a={...gt(e.color,"stroke"),"stroke-width":Math.max(1,parseFloat(e.fontSize)/16)};return nt("line",{x1:n.left+1,x2:n.right-1,y1:r,y2:r,...a})}function lu(t,e,n){let s=t.firstElementChild?.getBoundingClientRect()??n,o=Math.max(4,s.left-n.left),a=[[0,n.height*.6],[o*.25,n.height*.54],[o*.6,n.height],[o,1],[n.width,1]].map(([i,l])=>`${qe(n.left+i)},${qe(n.top+l)}`).join(" ");return nt("polyline",{points:a,fill:"none",...gt(e.color,"stroke"),"stroke-width":1})}function cu(t,e,n){let{cells:s}=t;if(!s||s.rows*s.columns>4096)return Ha(t.toDataURL("image/png"),e,n);let[o,r]=[n.width/s.columns,n.height/s.rows],a="";for(let i=0;i<s.rows;i++)for(let l=0,c;l<s.columns;l=c){let p=s.colour(i,l);for(c=l+1;c<s.columns&&s.colour(i,c)===p;)c++;let[u,h]=[c<s.columns?o/2:0,i<s.rows-1?r/2:0];a+=nt("rect",{x:n.left+l*o,y:n.top+i*r,width:(c-l)*o+u,height:r+h,...gt(p)})}return nt("g",{"shape-rendering":"crispEdges"},a)}function pu(t,e,n){if(!t.complete||!t.naturalWidth)return"";let s=document.createElement("canvas");return[s.width,s.height]=[t.naturalWidth,t.naturalHeight],s.getContext("2d").drawImage(t,0,0),Ha(s.toDataURL("image/png"),e,n)}var Ha=(t,e,{left:n,top:s,width:o,height:r})=>t.length<10?"":nt("image",{x:n,y:s,width:o,height:r,preserveAspectRatio:"none","xlink:href":t,"image-rendering":e.imageRendering==="auto"?null:e.imageRendering}),Ua={fill:"#000000","fill-opacity":"1",stroke:"none","stroke-opacity":"1","stroke-width":"1px","stroke-dasharray":"none","stroke-linecap":"butt","stroke-linejoin":"miter","text-anchor":"start","dominant-baseline":"auto","paint-order":"normal","shape-rendering":"auto","font-style":"normal","font-weight":"400","font-family":null,"font-size":null},uu=/^(on|aria-|data-|class$|style$|role$|tabindex$|focusable$|width$|height$|xmlns)/;function hu(t,e,n){let[s,o]=["viewBox","preserveAspectRatio"].map(i=>t.getAttribute(i)),r=e.overflow==="visible"?"visible":"hidden",a={x:n.left,y:n.top,width:n.width,height:n.height,viewBox:s,preserveAspectRatio:o,overflow:r};return nt("svg",a,[...t.childNodes].map(i=>Ka(i,Ua)).join(""))}function Ka(t,e){if(t.nodeType===Node.TEXT_NODE)return Fe(t.data.replace(/\s+/g," "));if(t.nodeType!==Node.ELEMENT_NODE||["foreignObject","script","style","animate"].includes(t.localName))return"";let n=getComputedStyle(t);if(n.display==="none"||n.visibility==="hidden")return"";let s={};for(let{name:a,value:i}of t.attributes)(!uu.test(a)||/^(width|height)$/.test(a)&&t.localName!=="svg")&&(s[a]=i);let o={...e};for(let a of Object.keys(Ua)){delete s[a];let i=/^(fill|stroke)$/.test(a)?du(n[a]):n.getPropertyValue(a);i!==e[a]&&(s[a]=o[a]=i)}Number(n.opacity)<1&&(s.opacity=n.opacity),n.transform!=="none"&&!t.hasAttribute("transform")&&(s.transform=n.transform.replace(/px/g,"")),t.localName==="svg"&&Object.assign(s,{width:t.getAttribute("width"),height:t.getAttribute("height")});let r=[...t.childNodes].map(a=>Ka(a,o)).join("");return nt(t.localName==="a"?"g":t.localName,s,r)}function du(t){if(t==="none"||t.startsWith("url("))return t.replaceAll('"',"");let e=gt(t);return e?e["fill-opacity"]?t:e.fill:"none"}function gt(t,e="fill"){let n=/^rgba?\(([\d.]+),? ([\d.]+),? ([\d.]+)(?:,? ?\/? ?([\d.]+%?))?\)$/.exec(t);if(!n)return t&&t!=="none"&&t!=="transparent"?{[e]:mu(t)}:null;let s=n[4]===void 0?1:n[4].endsWith("%")?parseFloat(n[4])/100:Number(n[4]);if(s===0)return null;let o=n.slice(1,4).map(r=>Math.round(Number(r)).toString(16).padStart(2,"0")).join("");return{[e]:`#${o}`,[`${e}-opacity`]:s<1?s:null}}var je=null;function mu(t){je??=Object.assign(document.createElement("canvas"),{width:1,height:1}).getContext("2d",{willReadFrequently:!0}),je.clearRect(0,0,1,1),je.fillStyle=t,je.fillRect(0,0,1,1);let[e,n,s]=je.getImageData(0,0,1,1).data;return`#${[e,n,s].map(o=>o.toString(16).padStart(2,"0")).join("")}`}function nt(t,e={},n=""){let s=`<${t}`;for(let[o,r]of Object.entries(e))r!=null&&r!==""&&(s+=` ${o}="${Fe(typeof r=="number"?qe(r):r)}"`);return n===""?`${s}/>`:`${s}>${n}</${t}>`}var qe=t=>String(Math.round(t*100)/100),Fe=t=>String(t).replace(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu,"").replace(/[&<>"]/g,e=>({"&":"&amp;","<":"&lt;",">":"&gt;",'"':"&quot;"})[e]);function ct({name:t,of:e,numbers:n,saves:s,ask:o,view:r,state:a,place:i}){let[l,c]=j(!1),[p,u]=j({text:"",error:!1}),[h,m]=j(!1),f=D(null),g=Y(),$=k=>{c(!1),k&&f.current?.querySelector("button").focus()};B(()=>{if(!l)return;f.current.querySelector("[role=menuitem]").focus();let k=P=>f.current?.contains(P.target)||c(!1);return document.addEventListener("pointerdown",k),()=>document.removeEventListener("pointerdown",k)},[l]);let y=()=>to(e.current,t),w=[["Picture, SVG",async()=>Ie(t,"svg",new Blob([y()],{type:"image/svg+xml"}))],["Picture, PNG",async()=>Ie(t,"png",await Ia(y()))],n&&["Numbers, CSV",async()=>Ie(t,"csv",new Blob([Ra(await n())],{type:"text/csv;charset=utf-8"}))],n&&i!=="file"&&["Numbers, NPZ",async()=>Ie(t,"npz",await fu(o,await n()))],s&&i!=="file"&&["This view, HTML",async()=>Ie(t,"html",await gu(o,r,a,s()))],i==="page"&&["Copy a link",async()=>$u(location.href)]].filter(Boolean),b=async k=>{m(!0),u({text:"",error:!1});try{u({text:await k(),error:!1}),$(!0)}catch(P){u({text:P.message,error:!0})}m(!1)};return d`<div class="menu" ref=${f} data-unpictured onKeyDown=${k=>{if(k.key==="Escape"&&l)return k.stopPropagation(),$(!0);if(!l){k.key==="ArrowDown"&&(k.preventDefault(),c(!0));return}let P=[...f.current.querySelectorAll("[role=menuitem]")],M=P.indexOf(document.activeElement);M>=0&&k.key!=="ArrowLeft"&&k.key!=="ArrowRight"&&P[ge(k,M,P.length,1)??M].focus()}}
    onFocusOut=${k=>k.relatedTarget&&!f.current.contains(k.relatedTarget)&&$(!1)}>
    <button class="quiet" aria-haspopup="menu" aria-expanded=${String(l)} aria-controls=${l?g:null} onClick=${()=>c(!l)}>
      <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
        <path fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round"
          d="M8 2v8M4.8 7.2 8 10.4l3.2-3.2M2.5 13.5h11" /></svg>Export</button>
    ${l&&d`<div id=${g} role="menu" aria-label="Export" aria-busy=${String(h)}>
      ${w.map(([k,P])=>d`<button role="menuitem" tabindex="-1" disabled=${h} onClick=${()=>b(P)}>${k}</button>`)}
      ${h&&d`<p class="waiting" role="none">saving …</p>`}
      ${p.error&&d`<p class="error" role="none">${p.text}</p>`}
    </div>`}
    <span class="unseen" role="status" aria-live="polite">${p.text}</span>
  </div>`}function Ie(t,e,n){let s=`${t.replace(/[^\p{L}\p{N}._-]+/gu,"-")}.${e}`,o=Object.assign(document.createElement("a"),{href:URL.createObjectURL(n),download:s});return document.body.append(o),o.click(),o.remove(),setTimeout(()=>URL.revokeObjectURL(o.href),6e4),`${s} was saved`}async function fu(t,e){let n=({shape:i,data:l})=>({shape:i,data:gs(new Uint8Array(Float64Array.from(l,c=>c??NaN).buffer))}),s={arrays:Object.fromEntries(Object.entries(e).map(([i,l])=>[i,n(l)]))},{header:o,data:r,offset:a}=await t("npz",s);return new Blob([new Uint8Array(r,a)],{type:o.kind})}async function $u(t){try{await navigator.clipboard.writeText(t)}catch{let e=Object.assign(document.createElement("textarea"),{value:t});document.body.append(e),e.select();let n=document.execCommand("copy");if(e.remove(),!n)throw new Error("the browser does not let the page copy; copy the address from its bar")}return"The link was copied"}async function gu(t,e,n,s){let o=await t("frame",{}),r=[...new Map(s.map(p=>[JSON.stringify(p),p])).values()],a=[],i=0;for(let p=0;p<r.length;p+=4){let u=r.slice(p,p+4);if((await Promise.all(u.map(([m,f])=>t(m,f)))).forEach((m,f)=>{let g=m.packed instanceof Uint8Array?gs(m.packed):m;a.push([...u[f],g]),i+=typeof g=="string"?g.length:JSON.stringify(g).length}),i>o.max_answers)throw new Error(`a saved file must have at most ${o.max_answers/2**20} MB of answers: got more; show fewer tokens or heads`)}let l=new Date().toISOString().slice(0,10),c=JSON.stringify({view:e,state:n,answers:a,version:o.version,date:l});return new Blob([o.before,c.replaceAll("<","\\u003c"),o.after],{type:"text/html;charset=utf-8"})}var Va=new WeakMap;function no(t,e,n,s,o=s){if(s===1&&o===1)return{data:t,rows:e,columns:n,down:s,right:o,at:null};let r=Va.get(t);if(r?.down===s&&r.right===o)return r;let[a,i]=[Math.ceil(e/s),Math.ceil(n/o)],l={data:new Float32Array(a*i),rows:a,columns:i,down:s,right:o,at:new Uint32Array(a*i)};for(let c=0,p=0;c<e;c++)for(let u=0,h=Math.floor(c/s)*i,m=o;u<n;u++,p++){let[f,g]=[t[p]<0?-t[p]:t[p],l.data[h]<0?-l.data[h]:l.data[h]];f>g&&(l.data[h]=t[p],l.at[h]=p+1),--m===0&&(h++,m=o)}return Va.set(t,l),l}function Ln(t,e,n,s,o,r,a=2048){let i=no(e,n,s,Math.ceil(n/a),Math.ceil(s/a));[t.width,t.height]=[i.columns,i.rows];let l=new Uint32Array(Gt(o).buffer),c=new ImageData(i.columns,i.rows),p=new Uint32Array(c.data.buffer);for(let u=0;u<p.length;u++)p[u]=l[un(i.data[u],o,r)];t.getContext("2d").putImageData(c,0,0),t.cells={rows:i.rows,columns:i.columns,colour:(u,h)=>Dt(i.data[u*i.columns+h],o,r)}}var eo=[{least:13,size:12,letter:7.2,most:13,space:12},{least:9,size:10,letter:6,most:10,space:10}],On=(t,{most:e})=>t.length>e?`${t.slice(0,e-1)}…`:t,Pn=(t,e)=>e.space+e.letter*Math.max(...t.map(n=>On(n,e).length));function Ga(t,e,n){let s=Math.min(n-70,600);return!t||s/e>=eo[0].least?s:Math.min(n-Pn(t,eo[1]),600)}function Nt(t){let{data:e,rows:n,columns:s,scale:o="weight",limit:r=1,label:a,rowNames:i,columnNames:l,chosen:c,onChoose:p,onPoint:u,says:h,side:m=520,titles:f,tip:g}=t,$=ht(),y=D(null),w=Y(),[b,x]=j(null),k=Math.max(Math.min(m/Math.max(n,s),56),.001),[P,M]=[k*s,k*n],O=eo.find(({least:_})=>k>=_),N=O&&l&&Pn(l,O)-O.space>k,v=(O&&i?Pn(i,O):0)+(f?18:0),E=(O&&l?6+(N?Pn(l,O):O.space):0)+(f?18:0),C={fontSize:`${Math.min(O?.size,k)}px`};pt(()=>{Ln(y.current,e,n,s,o,r)},[e,n,s,o,r,$]),B(()=>x(null),[n,s]);let z=_=>{let A=y.current.getBoundingClientRect(),[q,K]=[Math.floor((_.clientY-A.top)/A.height*n),Math.floor((_.clientX-A.left)/A.width*s)];return q>=0&&K>=0&&q<n&&K<s?[q,K]:null},F=_=>(x(_),u?.(..._??[null,null])),T=h??((_,A)=>`${i?.[_]??`row ${_}`} to ${l?.[A]??`column ${A}`}: ${L(e[_*s+A])}`),R=_=>{let[A,q]=b??c??[0,0],K=_.shiftKey?Math.max(1,Math.round(s/16)):1,W={ArrowUp:[-K,0],ArrowDown:[K,0],ArrowLeft:[0,-K],ArrowRight:[0,K],Home:[0,-q],End:[0,s-1-q]}[_.key];W?(_.preventDefault(),F(b?[Xa(A+W[0],n),Xa(q+W[1],s)]:[A,q])):(_.key==="Enter"||_.key===" ")&&b&&(_.preventDefault(),p?.(A,q))},S=(_,A)=>_&&d`<rect class=${A} x=${v+_[1]*k} y=${E+_[0]*k} width=${Math.max(k,2)} height=${Math.max(k,2)} />`;return d`<div class="heatmap" style=${{width:`${v+P}px`,height:`${E+M}px`}}
    tabindex="0" role="application" aria-roledescription="heat map" aria-label=${a} aria-describedby=${w}
    onKeyDown=${R} onBlur=${()=>F(null)} onPointerLeave=${()=>F(null)}
    onPointerMove=${_=>F(z(_))}
    onClick=${_=>z(_)&&p?.(...z(_))}>
    <canvas ref=${y} style=${{left:`${v}px`,top:`${E}px`,width:`${P}px`,height:`${M}px`}}></canvas>
    <svg width=${v+P} height=${E+M} aria-hidden="true">
      ${f&&d`<text class="title" x=${v} y="12">${f[1]}</text><text class="title" transform=${`translate(12,${E+M}) rotate(-90)`}>${f[0]}</text>`}
      ${g&&b&&d`<rect class="lit" x=${v} y=${E+b[0]*k} width=${P} height=${k} />
        <rect class="lit" x=${v+b[1]*k} y=${E} width=${k} height=${M} />`}
      ${O&&i?.map((_,A)=>d`<text class=${`tick${g&&b?.[0]===A?" now":""}`} style=${C} x=${v-6} y=${E+(A+.5)*k} dy="0.35em" text-anchor="end">${On(_,O)}</text>`)}
      ${O&&l?.map((_,A)=>N?d`<text class=${`tick${g&&b?.[1]===A?" now":""}`} style=${C} transform=${`translate(${v+(A+.5)*k},${E-6}) rotate(-90)`} dy="0.35em">${On(_,O)}</text>`:d`<text class=${`tick${g&&b?.[1]===A?" now":""}`} style=${C} x=${v+(A+.5)*k} y=${E-6} text-anchor="middle">${On(_,O)}</text>`)}
      ${S(c,"pinned")}${S(b,"cursor")}
    </svg>
    ${g&&b&&d`<div class=${`tip${b[1]>s/2?" before":""}`} data-unpictured aria-hidden="true"
      style=${{left:`${v+(b[1]+(b[1]>s/2?0:1))*k}px`,top:`${E+(b[0]+1)*k}px`}}>${g(...b)}</div>`}
    <span id=${w} class="unseen" aria-live="polite">${b?T(...b):c?T(...c):`${n} by ${s}; use the arrow keys to move, Enter to pin`}</span>
  </div>`}var Xa=(t,e)=>Math.max(0,Math.min(e-1,t));function xe({scale:t="weight",limit:e=1,label:n="weight"}){let s=ht(),o=D(null);return pt(()=>{let r=t==="signed"?-e:0,a=Float64Array.from({length:128},(i,l)=>r+(e-r)*l/127);Ln(o.current,a,1,128,t,e)},[t,e,s]),d`<div class="legend"><span>${t==="signed"?L(-e,2):0}</span><canvas ref=${o} aria-hidden="true"></canvas><span>${L(e,2)}</span><span class="of">${n}</span></div>`}function Za({ask:t,row:e,document:n,state:s,place:o}){let[r,a]=j(!1),{response:i,error:l,waiting:c}=Q(t,"claim",{id:e.id,run:r}),p=D(null),u=i?.id===e.id?i:null,h=u?.verdict??e.verdict,m=u!==null&&u.verdict===null;return d`<article class="panel claims-detail" aria-label=${`${e.id}, ${e.title}`} data-claim=${e.id} data-judged=${String(!!u?.verdict)}>
    <div ref=${p}><header>
      <div class="claims-over"><code>${e.id}</code><span>${n}</span></div>
      <h2>${e.title}</h2>
      <div class="claims-verdict"><${Tu} verdict=${h} /><span class="note">${m?"a run decides":We(h).about}</span>
        <${ct} name=${`claim-${e.id}`} of=${p} numbers=${u?.chart?()=>Au(u.chart):void 0}
          saves=${()=>[["catalogue",{}],["claim",{id:e.id,run:!1}]]} ask=${t} view="claims" state=${s} place=${o} /></div>
      ${u?.verdict&&!u.verdict.startsWith(u.expected)&&d`<p class="error">The catalogue expects: ${u.expected}.</p>`}
    </header>
    ${u?d`<${ne} class="claims-question-asked" text=${u.asks} />`:d`<p class="claims-question-asked">${e.asks}</p>`}
    <${U} error=${l} waiting=${c&&!r}>checking …</${U}>
    ${m&&d`<${yu} claim=${u} running=${r&&c} place=${o} onRun=${()=>a(!0)} onStop=${()=>a(!1)} />`}
    ${u&&d`<div class="claims-versions">${u.versions.filter(f=>f.role!=="twin").map(f=>d`<${ti} version=${f} />`)}</div>
      ${u.chart&&d`<${Su} chart=${u.chart} />`}`}</div>
    ${u&&d`<${xu} claim=${u} ask=${t} place=${o} />`}
  </article>`}function xu({claim:t,ask:e,place:n}){let s=t.versions.find(o=>o.role==="twin");return d`
    ${t.see&&n==="page"&&d`<p class="claims-see">
      <a href=${`#${t.see.view}?${encodeURIComponent(JSON.stringify(t.see.state))}`}>${t.see.words}<span aria-hidden="true"> →</span></a></p>`}
    ${t.exercises.length>0&&n!=="file"&&d`<section class="claims-box">
      <h3>Try an answer</h3><${wu} ask=${e} exercises=${t.exercises} /></section>`}
    <details class="claims-fold"><summary>Why</summary><${ne} class="claims-why" text=${t.why} />
      ${t.quantities.length>0&&d`<dl class="claims-letters">${t.quantities.map(([o,r])=>d`<${ne} tag="dt" text=${o} /><${ne} tag="dd" text=${r} />`)}</dl>`}
    </details>
    <details class="claims-fold"><summary>A false twin, which the check must refute</summary>
      <p class="note">A check that cannot fail proves nothing, so each one also runs on a false statement close to the true one.</p>
      <${ti} version=${s} /></details>
    <details class="claims-fold"><summary>How it was checked</summary>
      <${ne} text=${t.method} />
      ${t.source&&d`<p>The numbers are of: ${t.source}.</p>`}
      ${t.code.length>0&&d`<p>In the code: ${t.code.map((o,r)=>d`${r?", ":""}<code>${o}</code>`)}</p>`}
      ${t.verdict&&d`<p class="note">${t.seconds<.01?"Less than 0.01":t.seconds.toFixed(2)} s of computing.</p>`}
    </details>`}var Ja=6;function ti({version:t}){let e=[...t.findings].sort((s,o)=>s.holds-o.holds),n=e.length>Ja+1?Ja:e.length;return d`<section class=${`claims-version claims-by-${t.role}`} data-role=${t.role}>
    <h3>${t.heading}</h3>
    <${ne} class="claims-text" text=${t.text} />
    ${t.formula&&d`<${ne} class="claims-formula" text=${t.formula} label="Formula" />`}
    ${n>0&&d`<${Ya} findings=${e.slice(0,n)} />`}
    ${n<e.length&&d`<details class="claims-more"><summary>${e.length-n} more</summary>
      <${Ya} findings=${e.slice(n)} /></details>`}
  </section>`}var Ya=({findings:t})=>d`<ul class="claims-findings">${t.map(e=>d`<li class=${e.holds?"claims-yes":"claims-no"}>
    <span role="img" aria-label=${e.holds?"holds":"fails"}>${e.holds?"✓":"✗"}</span><span>${e.shown}</span></li>`)}</ul>`;function yu({claim:t,running:e,place:n,onRun:s,onStop:o}){let[r,a]=j(0);return B(()=>{if(!e)return;let i=Date.now(),l=setInterval(()=>a((Date.now()-i)/1e3),250);return()=>(clearInterval(l),a(0))},[e]),d`<div class="claims-unrun" role="status">
    <p>An experiment decides this claim, and no run of it is recorded here. A small version trains in about ${t.takes} seconds.</p>
    ${e?d`<div class="row"><progress aria-label="Training" max=${t.takes} value=${Math.min(r,t.takes*.97)}></progress>
          <span class="note">training, ${Math.round(r)} s</span>
          <button onClick=${o}>Stop</button></div>`:n==="file"?d`<${Jt} place=${n} what="run it" />`:d`<button class="main" onClick=${s}>Run it now</button>`}
  </div>`}function ne({text:t,tag:e="div",class:n,label:s}){let o=D(null);return pt(()=>{if(o.current.innerHTML=t,!s)return;o.current.scrollWidth>o.current.clientWidth+1?o.current.tabIndex=0:o.current.removeAttribute("tabindex")},[t,s]),d`<${e} ref=${o} class=${n} role=${s?"group":null} aria-label=${s??null}></${e}>`}var bu={right:["✓","holds"],"partly right":["≈","corrected"],wrong:["✗","refuted"],"not read":["?","answered"]};function wu({ask:t,exercises:e}){let n=[...new Set(e.map(s=>s.question))];return d`<div class="claims-questions">
    ${n.map(s=>{let o=e.filter(r=>r.question===s);return d`<div class="claims-question" key=${s} data-question=${s}>
        <p>${o[0].text}</p>
        ${o.map((r,a)=>d`<${vu} key=${`${s} ${r.part}`} ask=${t} exercise=${r} tells=${r.how!==o[a-1]?.how} />`)}
      </div>`})}
    <${Mu} kinds=${new Set(e.map(s=>s.kind))} />
  </div>`}var so=new Map;function vu({ask:t,exercise:e,tells:n}){let{question:s,part:o,asks:r,kind:a,how:i,choices:l,examples:c}=e,p=Y(),u=`${s} ${o}`,[h,m]=j(so.get(u)??""),[f,g]=j(so.get(u)??null),{response:$,error:y,waiting:w,of:b}=Q(t,"answer",f===null?null:{question:s,part:o,answer:f}),x=M=>{m(M),M.trim()&&(so.set(u,M.trim()),g(M.trim()))},k=a==="truth"?[["true","true"],["false","false"]]:a==="choice"?Object.entries(l):[],P=f!==null&&h.trim()===f&&b===JSON.stringify({question:s,part:o,answer:f});return d`<div class="claims-try" data-part=${o}>
    ${r&&d`<p class="claims-asks" id=${`${p}-asks`}>${r}</p>`}
    ${a==="select"&&d`<ul>${Object.entries(l).map(([M,O])=>d`<li><b>${M}</b> ${O}</li>`)}</ul>`}
    ${a==="text"?d`<p class="note">Write ${i}: hand it in by a file, for regard grade.</p>`:k.length?d`<div class=${`claims-options ${a}`} role="group" aria-label=${r||"Your answer"}>${k.map(([M,O])=>d`<button aria-pressed=${String(f===M)} onClick=${()=>x(M)}>
            ${a==="choice"?d`<b>${M}</b> ${O}`:O}
          </button>`)}</div>`:d`<form class="claims-form" onSubmit=${M=>(M.preventDefault(),x(h))}>
          <label class="unseen" for=${p}>${`Your answer${r?`: ${r}`:""}`}</label>
          <input id=${p} type="text" value=${h} maxlength="2000" autocomplete="off" autocapitalize="off" spellcheck=${!1} aria-describedby=${`${p}-how`}
            placeholder="your answer" onInput=${M=>m(M.target.value)} />
          <button class="main" type="submit" disabled=${!h.trim()}>Check</button>
        </form>
        <p class=${n?"note":"unseen"} id=${`${p}-how`}>Write ${i}.</p>
        ${c.length>0&&d`<p class="claims-examples"><span class="note">Or try</span>
          ${c.map(M=>d`<button class="claims-example" onClick=${()=>x(M)}>${M}</button>`)}</p>`}`}
    <${U} error=${y} waiting=${w}>marking …</${U}>
    <div role="status" aria-live="polite">${P&&!y&&d`<${_u} mark=${$} />`}</div>
  </div>`}function _u({mark:t}){let[e,n]=bu[t.word],s=t.counterexample,o=Object.entries(s?.breakdown??{});return d`<div class=${`claims-mark claims-${n}`} data-word=${t.word}>
    <p class="claims-word"><span aria-hidden="true">${e}</span> ${t.word}
      ${t.word==="partly right"&&d`<span class="note">${t.points} of ${t.out_of} points</span>`}
      ${t.read_as&&d`<span class="note">read as <code>${t.read_as}</code></span>`}</p>
    ${s&&d`<dl class="claims-counter" data-counterexample>
      <div><dt>at</dt><dd>${Object.entries(s.sizes).map(([r,a])=>`${r} = ${a}`).join(", ")}</dd></div>
      <div><dt>yours</dt><dd class="claims-no">${s.yours}</dd></div>
      <div><dt>true</dt><dd class="claims-yes">${s.true}
        ${o.length>0&&d`<small>${o.map(([r,a],i)=>`${i?" + ":" = "}${a} (${r})`)}</small>`}</dd></div>
    </dl>`}
    ${t.feedback.map(r=>d`<p>${r}</p>`)}
  </div>`}var ku={formula:["A formula",["3D² + 3D","3*D**2 + 3D","\\frac{D^2}{H}","N_h D_i (2 D_hid + D_o)","√d"]],order:["An order of growth",["Θ(N² D)","O(N D + D²)"]],number:["A number",["0.465","1/3","12.5 %","67.1M","5.6e-42"]],vector:["A vector",["(0.1, 0.2)","0.1, 0.2"]],matrix:["A matrix",["[[1, 2], [3, 4]]","1 2; 3 4"]]};function Mu({kinds:t}){let e=Object.entries(ku).filter(([n])=>t.has(n));return e.length?d`<details class="claims-fold"><summary>How to write answers</summary>
    <dl class="claims-letters">${e.map(([,[n,s]])=>d`<dt>${n}</dt><dd>${s.map((o,r)=>d`${r?", ":""}<code>${o}</code>`)}</dd>`)}</dl>
    <p class="note">Unicode, LaTeX and Python notation all work; products need no sign. Formulas are compared exactly, so any equivalent form is right. Numbers
      must be right in the digits you give. Nothing you type is run as code.</p>
  </details>`:null}function Su({chart:t}){return d`<div class="claims-chart" data-chart=${t.kind}>
    <h3>${t.title}</h3>
    ${t.kind==="lines"&&d`<${Tt} label=${t.title} xLabel=${t.x_label} yLabel=${t.y_label} logX=${t.log_x} logY=${t.log_y}
      series=${ei(t)}
      marks=${Object.entries(t.marks??{}).map(([e,n])=>({name:e,x:n}))} />`}
    ${t.kind==="bars"&&d`<${qa} label=${t.title} names=${t.names} groups=${t.groups} yLabel=${t.y_label} logY=${t.log_y} />
      <${Nu} chart=${t} />`}
    ${t.kind==="matrices"&&d`<${Cu} chart=${t} />`}
  </div>`}var ei=({x:t,y:e,bands:n})=>Object.entries(e).map(([s,o])=>({name:s,x:t,y:o,low:n?.[s]?.[0],high:n?.[s]?.[1]})),ni=({panels:t})=>Object.entries(t).map(([e,n])=>({name:e,rows:n.length,columns:n[0].length,values:n.flat()}));function Nu({chart:t}){return d`<div class="scrolls"><table class="lines">
    <thead><tr><th></th>${Object.keys(t.groups).map(e=>d`<th class="number">${e}</th>`)}</tr></thead>
    <tbody>${t.names.map((e,n)=>d`<tr><th>${e}</th>
      ${Object.values(t.groups).map(s=>d`<td class="number">${L(s[n])}</td>`)}</tr>`)}</tbody>
  </table></div>`}function Cu({chart:t}){let[e,n]=j(null),[s,o]=et(),r=G(()=>ni(t),[t]),{signed:a,limit:i}=t,l=r.length===1?1:Math.max(2,Math.floor((o+24)/(r.length>4?164:250))),c=Math.min(r.length===1?420:260,(o-24*(l-1))/l-(t.rows?30:0)),p=a?"signed":"weight",u=(m,f)=>m??(f<=12?Array.from({length:f},(g,$)=>String($+1)):void 0),h=(m,f,g)=>{let[$,y]=[t.rows?.[f]??f+1,t.columns?.[g]??g+1];return`${m.name}, ${t.row_label} ${$}, ${t.column_label} ${y}: ${L(m.values[f*m.columns+g])}`};return d`<div ref=${s}>
    ${o>0&&d`<div class="claims-panels">${r.map(m=>d`<figure>
      <figcaption>${m.name}</figcaption>
      <${Nt} data=${m.values} rows=${m.rows} columns=${m.columns} scale=${p} limit=${i} side=${Math.max(c,90)}
        label=${`${m.name}: ${t.row_label} by ${t.column_label}`}
        rowNames=${u(t.rows,m.rows)} columnNames=${u(t.columns,m.columns)}
        says=${(f,g)=>h(m,f,g)} onPoint=${(f,g)=>n(f===null?null:h(m,f,g))} />
    </figure>`)}</div>`}
    <p class="claims-reading"><${xe} scale=${p} limit=${i} label=${`${t.row_label} ↓  ${t.column_label} →`} /><span>${e??""}</span></p>
  </div>`}function Au(t){if(t.kind==="matrices"){let n=({rows:s,columns:o,values:r})=>({shape:[s,o],data:r,rows:t.rows,columns:t.columns});return Object.fromEntries(ni(t).map(s=>[s.name,n(s)]))}if(t.kind==="bars"){let n=Object.entries(t.groups);return{[t.y_label]:{...Qa(n),rows:t.names}}}let e=[[t.x_label,t.x]];for(let{name:n,y:s,low:o,high:r}of ei(t))e.push([n,s],...o?[[`${n}, low`,o],[`${n}, high`,r]]:[]);return{[t.y_label]:Qa(e)}}var Qa=t=>({shape:[t[0][1].length,t.length],data:t[0][1].flatMap((e,n)=>t.map(([,s])=>s[n])),columns:t.map(([e])=>e)}),oo={holds:{sign:"✓",kind:"holds",about:"as the document says it"},"holds as corrected":{sign:"≈",kind:"corrected",about:"its answer holds; a step, a reason or a missing condition does not"},refuted:{sign:"✗",kind:"refuted",about:"its answer does not hold, and here is the counterexample"},answered:{sign:"→",kind:"answered",about:"it asks and does not answer; here is the answer"},built:{sign:"■",kind:"built",about:"it gives code or a figure; here is the part, tested"},experiment:{sign:"∿",kind:"experiment",about:"a run decides; here are its numbers"},unsettled:{sign:"!",kind:"unsettled",about:"our own statement failed its check"}},We=t=>oo[t.split(":")[0]],si=({verdict:t})=>d`<span class=${`claims-sign claims-${We(t).kind}`} role="img" aria-label=${t} title=${t}>${We(t).sign}</span>`,Tu=({verdict:t})=>d`<span class=${`claims-badge claims-${We(t).kind}`} data-verdict=${t}>
    <span aria-hidden="true">${We(t).sign}</span>${t}
  </span>`;function Eu(t){let{response:e,error:n,waiting:s}=Q(t.ask,"catalogue",{});return e?d`<${Ou} ...${t} catalogue=${e} />`:d`<${U} error=${n} waiting=${s}>reading the catalogue …</${U}>`}function Ou(t){let{ask:e,state:n,place:s,catalogue:{rows:o,documents:r}}=t,a=o.find(({id:l})=>l===n.claim),i=a?d`<${Za} key=${a.id} ask=${e} row=${a} document=${r[a.document]} state=${n} place=${s} />`:d`<div class="panel"><p class="error">No claim is called “${n.claim}”: choose one from the list.</p></div>`;return d`<div class="claims">${s==="file"?i:d`<${Pu} ...${t}>${i}<//>`}</div>`}function Pu({state:t,change:e,catalogue:n,children:s}){let{documents:o}=n,r=G(()=>Du(n),[n]),a=ju(r,t.search),i=(f,g)=>!t[g]||f[g]===t[g],l=a.filter(f=>i(f,"document")),c=a.filter(f=>i(f,"verdict")),p=l.filter(f=>i(f,"verdict")),u=([f,g])=>[f,`${g} (${c.filter($=>$.document===f).length})`],h=Ru(t.claim);return d`<div class="claims-filters">
      <div class="claims-search" onKeyDown=${f=>{f.target.tagName!=="INPUT"||!p.length||(f.key==="Enter"&&e({claim:p[0].id}),f.key==="ArrowDown"&&(f.preventDefault(),h.current.querySelector("button").focus()))}}>
        <${Ot} label="Search" live value=${t.search} placeholder="a word, or an id: β, noise, nyu.1c" max=${200}
          onChange=${f=>e({search:f})} />
        <${st} label="Document" value=${t.document} onChange=${f=>e({document:f})}
          options=${[["","all five documents"],...Object.entries(o).map(u)]} />
      </div>
      <${Lu} rows=${l} verdict=${t.verdict} onChange=${f=>e({verdict:f})} />
    </div>
    <div class="claims-sides">
      <${zu} rows=${p} documents=${o} current=${t.claim} list=${h}
        onOpen=${f=>e({claim:f})} onClear=${()=>e({search:"",verdict:"",document:""})} />
      ${s}
    </div>`}function Lu({rows:t,verdict:e,onChange:n}){let s=Object.entries(oo).filter(([o])=>o!=="unsettled");return d`<div class="claims-chips" role="group" aria-label="Verdict">
    <button aria-pressed=${String(!e)} onClick=${()=>n("")}>all <span class="claims-count">${t.length}</span></button>
    ${s.map(([o,{sign:r,kind:a}])=>d`<button class=${`claims-chip claims-${a}`} aria-pressed=${String(e===o)}
      onClick=${()=>n(e===o?"":o)}>
      <span aria-hidden="true">${r}</span>${o}<span class="claims-count">${t.filter(i=>i.verdict===o).length}</span></button>`)}
  </div>`}function zu({rows:t,documents:e,current:n,list:s,onOpen:o,onClear:r}){let a=t.some(l=>l.id===n)?n:t[0]?.id;return d`<nav class="claims-list" ref=${s} aria-label="Claims" onKeyDown=${l=>{let c=[...s.current.querySelectorAll("button[data-id]")],p=c.indexOf(l.target),u={ArrowDown:p+1,ArrowUp:p-1,Home:0,End:c.length-1}[l.key];p<0||u===void 0||(l.preventDefault(),c[u]?.focus())}}>
    <p class="unseen" role="status">${t.length} claims</p>
    ${!t.length&&d`<p class="claims-none">No claims found. <button onClick=${r}>Show all claims</button></p>`}
    ${Object.entries(e).map(([l,c])=>{let p=t.filter(u=>u.document===l);return p.length>0&&d`<section key=${l}><h3>${c}</h3><ul>${p.map(u=>d`<li key=${u.id}><button data-id=${u.id} aria-current=${u.id===n?"true":null} tabindex=${u.id===a?0:-1}
          onClick=${()=>o(u.id)}>
          <${si} verdict=${u.verdict} /><span class="claims-title">${u.title}</span><code>${u.id}</code></button></li>`)}</ul></section>`})}
  </nav>`}function Ru(t){let e=D(null);return B(()=>{let n=e.current?.querySelector("[aria-current]");if(!n)return;let[s,o]=[e.current.getBoundingClientRect(),n.getBoundingClientRect()];(o.top<s.top||o.bottom>s.bottom)&&(e.current.scrollTop+=o.top-s.top-s.height/3)},[t]),e}var oi={name:"claims",title:"Claims",about:"What five courses say about attention, checked: what holds, what does not, and the numbers that show it. Try your own answer and get the counterexample.",state:{search:"",verdict:"",document:"",claim:"nyu.1e"},View:Eu},ro=t=>t.normalize("NFKD").replace(/[\u0300-\u036f]/g,"").toLowerCase(),ri=t=>ro(t).split(/[^\p{L}\p{N}]+/u).filter(Boolean);function Du({rows:t,documents:e}){return t.map(n=>{let s=ro(`${n.id} ${n.id.replace(".","")} ${n.title} ${n.asks} ${e[n.document]} ${n.verdict}`);return{row:n,text:s,words:ri(s)}})}function ju(t,e){let n=ro(e).split(/\s+/).filter(Boolean),s=t.filter(({text:o})=>n.every(r=>o.includes(r)));return s.length?s.map(({row:o})=>o):t.filter(({words:o})=>ri(e).every(r=>o.some(a=>qu(r,a)))).map(({row:o})=>o)}function qu(t,e){return t.length<4?e.startsWith(t):[-1,0,1].some(n=>Fu(t,e.slice(0,t.length+n))<=1)}function Fu(t,e){let n=0;for(;n<t.length&&n<e.length&&t[n]===e[n];)n++;let[s,o]=[t.slice(n),e.slice(n)];if(!s&&!o)return 0;let r=s.length>1&&s[0]===o[1]&&s[1]===o[0]&&s.slice(2)===o.slice(2);return s.slice(1)===o.slice(1)||s.slice(1)===o||s===o.slice(1)||r?1:2}function ii({header:t,data:e,offset:n}){let s=t.steps.length*t.layers*t.heads;return{...t,centres:new Float32Array(e,n,2*s),precisions:new Float32Array(e,n+8*s,t.entries*s),image:t.has_image?new Uint8Array(e,n+4*(2+t.entries)*s,t.side**2):null}}function ao(t,e,n){let s=(o,r)=>n===0?o:o+n*(r-o);return{centre:e.centre.map((o,r)=>s(t.centre[r],o)),precision:e.precision.map((o,r)=>s(t.precision[r],o))}}function Be(t,e,n){let s=Math.floor(e),o=(r,a)=>{let i=(r*t.layers+n)*t.heads+a,{centres:l,precisions:c,entries:p}=t;return{centre:[...l.subarray(2*i,2*i+2)],precision:[...c.subarray(p*i,p*(i+1))]}};return Array.from({length:t.heads},(r,a)=>e===s?o(s,a):ao(o(s,a),o(s+1,a),e-s))}var zn=([t,e,,n])=>n!==void 0?[t,e,n]:[t,0,e??t];function li(t){let[e,n,s]=zn(t);return Math.max(...t.map(Math.abs))<=1e6&&e>0&&s>0&&e*s>n*n&&(t.length<4||t[2]===n)}function ye(t,e){let[n,s,o]=zn(t),r=Math.hypot((o-n)/2,s),a=(n+o)/2,i=Math.sqrt(-Math.log1p(-e)),l=r<=1e-12*a;return{long:i/Math.sqrt(Math.max(a-r,1e-12)),short:i/Math.sqrt(a+r),angle:l?0:Math.atan2(2*s,o-n)/2+Math.PI/2}}function Rn(t){let[e,n,s]=zn(t);return(4*(e*s-n*n))**-.25}var Iu=60,Wu=.002;function ci(t,e){let[n,s,o]=zn(t),r=Math.hypot((o-n)/2,s),a=(n+o)/2,i=Math.min(1,Wu/Math.max(a-r,1e-9)),l=Math.max(i,Math.min(Math.max(1,Iu/(a+r)),e));return t.map(c=>Number((c*l).toPrecision(4)))}var io=(t,e)=>({1:[e],2:[e,e],4:[e,0,0,e]})[t];function pi(t,e){let n=1.5,s=t.side>>1;for(let o=0;o<t.steps.length;o++){let r=2*(o*t.layers+e)*t.heads;for(let a of t.centres.subarray(r,r+2*t.heads))n=Math.max(n,-s-a,s+a-t.side+1)}return Math.min(Math.ceil(2*n+.5)/2,t.side)}var $t=t=>`heads-hue-${t%6+1}`,Dn=t=>["","7 4","2 4","9 3 2 3"][Math.floor(t/6)%4],ai=(t,e,n)=>`${Math.abs(t).toFixed(2)} ${t<0?n:e}`,jn=([t,e])=>`${ai(t,"down","up")}, ${ai(e,"right","left")}`;function hi({found:t,maps:e,head:n,precision:s,centre:o,onQuery:r}){let[a,i]=j(null),{h:l,w:c,query:p}=t,u=e.subarray(n*l*c,(n+1)*l*c),h=u.reduce((f,g)=>Math.max(f,g),0),m=t.heads[n];return d`<div class="heads-beside">
    <${Nt} data=${u} rows=${l} columns=${c} limit=${h} side=${160} chosen=${p} label=${`Weights of head ${n+1} from the query`}
      says=${(f,g)=>`row ${f}, column ${g}: ${L(u[f*c+g])}`} onChoose=${(f,g)=>r([f,g])}
      onPoint=${(f,g)=>i(f===null?null:[f,g])} />
    <div>
      <${xe} limit=${h} />
      <p class="heads-facts">${jn(o)}<br />width ${L(Rn(s),2)}</p>
      <p class="hint">${a?d`row ${a[0]}, column ${a[1]}: <b data-weight>${L(u[a[0]*c+a[1]])}</b>`:`Away from borders its largest weight is ${L(100*(1-m.softness),2)} %.`}</p>
    </div>
  </div>`}var Bu=t=>t.map(e=>String(e).replace("-","−")).join(", "),ui=(t,e)=>t&&e&&t[0]===e[0]&&t[1]===e[1];function di({found:t,chosen:e,onChoose:n}){let[s,o]=t.kernel_size,r=Math.min(54,174/o),a=([p,u])=>[(u+(o-1)/2)*r,(p+(s-1)/2)*r],i=r>=46,l=t.heads.map((p,u)=>({...p,head:u})).filter(p=>p.tap),c=[...t.free,...l.map(p=>p.tap)].filter(p=>t.heads.some(u=>ui(u.peak,p)));return d`<div class="heads-beside">
    <svg class="heads-kernel" width=${o*r+2} height=${s*r+2} viewBox=${`-1 -1 ${o*r+2} ${s*r+2}`}
      role="group" aria-label=${`Nearest kernel, ${s} by ${o}`}>
      ${t.free.map(p=>d`<rect class="free" x=${a(p)[0]} y=${a(p)[1]} width=${r-3} height=${r-3} rx="5" />`)}
      ${l.map(({head:p,tap:u,distance:h,peak:m,softness:f})=>{let[g,$]=a(u),y=ui(m,u),w=y?1-f:0,b=w*(r-3),x=y?`${L(100*w,2)} % of its weight there`:"its weight is largest elsewhere",k=y?`${L(100*w,1)} %`:`${L(h,2)} off`,P=g+(r-3)/2;return d`<g class=${`heads-tap ${$t(p)} ${p===e?"chosen":""} ${y?"":"off"}`} role="button" tabindex="0"
          aria-pressed=${p===e} aria-label=${`Tap ${Bu(u)}: head ${p+1}, ${L(h,2)} away, ${x}`}
          onClick=${()=>n(p)} onKeyDown=${M=>M.key==="Enter"&&n(p)}>
          <rect class="cell" x=${g} y=${$} width=${r-3} height=${r-3} rx="5" />
          <rect class="share" x=${g} y=${$+r-3-b} width=${r-3} height=${b} rx="5" />
          <text class="name" x=${P} y=${$+(i?r*.4:(r-3)/2)} dy=${i?0:"0.36em"} text-anchor="middle">${p+1}</text>
          ${i&&d`<text class="away" x=${P} y=${$+r*.72} text-anchor="middle">${k}</text>`}
        </g>`})}
    </svg>
    <div>
      <p class="hint">Each tap of the smallest kernel, and the head nearest to it; filled by its weight there.</p>
      <p class=${t.is_bijection?"heads-yes":""} data-bijection=${t.is_bijection}>${t.is_bijection?"Every tap is the peak of one head: sharper heads tend to this convolution.":`${c.length} of ${s*o} taps ${c.length===1?"is":"are"} the peak of a head.`}</p>
    </div>
  </div>`}var Hu=(t,e)=>`${t} ${e}${t===1?"":"s"}`;function mi({found:{convolution:t,reason:e,h:n,w:s},isEven:o}){if(!t)return d`<p>There is no certificate: ${e}</p>`;let r=2*t.lipschitz,a=[["random inputs",t.measured,"measured"],["worst input",t.worst,"worst"],["certificate",t.bound,"bound"]].filter(([,u])=>u!==null),i=u=>Math.min(1,u/r),l=t.bound<=.01*t.lipschitz,c=l?"Proven: it is that convolution up to this error.":`Proven; the error never exceeds ${L(r)}.`,p=Math.max(...t.dilation)>1?`, dilated by ${t.dilation.join(" × ")}`:"";return d`
    <p>For inputs of norm 1, attention is within <b data-bound=${t.bound}>${L(t.bound)}</b> of a convolution with ${Hu(t.taps,"tap")} in
      a ${t.size[0]} × ${t.size[1]} kernel${p}.${" "}
      <span class=${l?"heads-yes":"hint"}>${c}</span></p>
    <table class="heads-bars"><tbody>
      ${a.map(([u,h,m])=>d`<tr><th scope="row">${u}</th>
        <td><svg width="120" height="10" aria-hidden="true">
          <rect class="rail" width="120" height="10" rx="3" /><rect class=${m} width=${120*i(h)} height="10" rx="3" />
        </svg></td>
        <td class="number" data-error=${m}>${L(h)}</td></tr>`)}
    </tbody></table>
    <p class="hint">${o?"Every head passes on the same share of what it sees.":"With the trained value projections of the last step."}
      ${t.scope==="inside"?d` All of this holds for pixels from which no target leaves the image: <b data-pixels>${t.pixels} of ${n*s}</b>.`:""}
      ${t.untried?` No inputs were tried: ${t.untried}.`:""}</p>
    <p class="hint">${t.sharpness===null?"No sharpness would bring it below 1 %: some centre lies half-way between two pixels.":d`Below 1 % at these centres: a precision of <b>${L(t.sharpness)}</b> for every head.`}</p>
    <details><summary>The certificate as the library prints it</summary><pre class="scrolls" tabindex="0">${t.text}</pre></details>`}var Uu={uniform:"weighs all pixels equally","one-hot":"sees only one pixel",border:"has its centre off the grid, and sees only the border",singular:"is so thin that it is a line"};function fi({found:t,onChoose:e}){let n=t.heads.flatMap((o,r)=>o.kinds.map(a=>[r,a])),s=o=>d`<button class="heads-name quiet" onClick=${()=>e(o)}><span class=${`heads-dot ${$t(o)}`} />Head ${o+1}</button>`;return t.unexamined?d`<p class="hint">Not checked: ${t.unexamined}.</p>`:!n.length&&!t.alike.length?d`<p class="hint">None: every head looks at a place of its own.</p>`:d`<ul class="heads-odd">
    ${n.map(([o,r])=>d`<li data-kind=${r}>${s(o)} ${Uu[r]}</li>`)}
    ${t.alike.map(o=>d`<li data-kind="alike">Heads ${o.map(r=>r+1).join(", ")} have the same map</li>`)}
  </ul>`}var $i={ArrowUp:[-1,0],ArrowDown:[1,0],ArrowLeft:[0,-1],ArrowRight:[0,1]};function xi({heads:t,side:e,margin:n,query:s,chosen:o,image:r,trail:a,at:i,onPlace:l,onNudge:c,onWiden:p,onChoose:u,onQuery:h}){let[m,f]=et(),g=D(null),$=D(null),y=Y(),w=Math.min(f,620)/(e+2*n),b=w*(e+2*n),x=S=>(S+n+.5)*w,k=S=>(S+n+.5)*w,P=S=>{let _=g.current.getBoundingClientRect();return[(S.clientY-_.top)/w-n-.5,(S.clientX-_.left)/w-n-.5]},M=S=>{let[_,A]=P(S).map(Math.round);Math.min(_,A)>=0&&Math.max(_,A)<e&&h([_,A])},O=(S,_)=>{S.preventDefault(),S.stopPropagation(),S.currentTarget.focus?.({preventScroll:!0}),S.currentTarget.setPointerCapture(S.pointerId),$.current=_},N={onPointerMove:S=>$.current?.(S),onPointerUp:()=>$.current=null,onPointerCancel:()=>$.current=null},v=S=>_=>{u(S);let[A,q]=P(_),[K,W]=[t[S].centre[0]+s[0]-A,t[S].centre[1]+s[1]-q];O(_,H=>{let[ot,mt]=P(H);l(S,[ot+K-s[0],mt+W-s[1]])})},E=S=>{let _=t[o].precision,A=K=>Math.max(Math.hypot(...P(K).map((W,H)=>W-t[o].centre[H]-s[H])),.1),q=A(S);O(S,K=>p(o,(q/A(K))**2,_))},C=S=>_=>{let A=$i[_.key],q={"+":1,"=":1,"-":-1,"−":-1}[_.key];if(A)c(S,A.map(K=>K*(_.shiftKey?1:.1)));else if(q)p(S,1.1**(-2*q));else return;_.preventDefault()},z=S=>{let _=$i[S.key];_&&(S.preventDefault(),h(s.map((A,q)=>Math.max(0,Math.min(e-1,A+_[q])))))},F=([S,_])=>[x(_+s[1]),k(S+s[0])].map(A=>Math.max(13,Math.min(b-13,A))),[T,R]=t[o]?F(t[o].centre):[];return d`<div class="heads-picture" ref=${m}>
    ${f>0&&d`<svg ref=${g} width=${b} height=${b} viewBox=${`0 0 ${b} ${b}`}
      role="group" aria-label="Heads around the query pixel" aria-describedby=${y} ...${N}>
      <g class="heads-pixels" onPointerDown=${S=>(M(S),$.current=M)}>
        <rect class="heads-board" x=${x(-.5)} y=${k(-.5)} width=${e*w} height=${e*w} />
        ${r&&Array.from(r,(S,_)=>S>0&&d`<rect class="heads-shade" width=${w} height=${w}
          x=${x(_%e-.5)} y=${k(Math.floor(_/e)-.5)} fill-opacity=${.3*S/255} />`)}
        ${Array.from({length:e+1},(S,_)=>d`
          <line x1=${x(_-.5)} x2=${x(_-.5)} y1=${k(-.5)} y2=${k(e-.5)} />
          <line y1=${k(_-.5)} y2=${k(_-.5)} x1=${x(-.5)} x2=${x(e-.5)} />`)}
      </g>
      <g aria-hidden="true" class="heads-ellipses">
        ${t.map((S,_)=>d`<${Ku} head=${_} ...${S} query=${s} x=${x} y=${k} scale=${w} chosen=${_===o} />`)}
      </g>
      ${a&&d`<g aria-hidden="true" class=${`heads-trail ${$t(o)}`}>
        <polyline class="rest" points=${a.map(([S,_])=>`${x(_+s[1])},${k(S+s[0])}`).join(" ")} />
        <polyline points=${a.slice(0,Math.floor(i)+1).map(([S,_])=>`${x(_+s[1])},${k(S+s[0])}`).join(" ")} />
        <circle cx=${x(a[0][1]+s[1])} cy=${k(a[0][0]+s[0])} r="3" />
      </g>`}
      <g class="heads-query" tabindex="0" role="application" aria-roledescription="movable pixel" data-query=${s.join(",")}
        aria-label=${`The query pixel: row ${s[0]}, column ${s[1]}. Arrow keys move it.`}
        onKeyDown=${z} onPointerDown=${S=>O(S,M)}>
        <rect x=${x(s[1]-.5)} y=${k(s[0]-.5)} width=${w} height=${w} rx="3" />
        <circle cx=${x(s[1])} cy=${k(s[0])} r="3" />
      </g>
      ${t.map((S,_)=>d`<g class=${`heads-knob ${$t(_)}`} tabindex="0" role="application" aria-roledescription="movable head" data-head=${_}
        aria-label=${`Head ${_+1}: ${jn(S.centre)}, width ${L(Rn(S.precision),2)}. Arrow keys move it, plus and minus change its width.`}
        onFocus=${()=>u(_)} onKeyDown=${C(_)} onPointerDown=${v(_)}>
        <${gi} head=${_} at=${F(S.centre)} />
      </g>`)}
      ${t[o]&&d`<g class=${`heads-knob chosen ${$t(o)}`} aria-hidden="true"><${gi} head=${o} at=${[T,R]} /></g>
        <${Vu} precision=${t[o].precision} cx=${T} cy=${R} scale=${w} size=${b} onGrab=${E} />`}
    </svg>`}
    <p id=${y} class="unseen">Tab to a head; arrow keys move it by a tenth of a pixel, with Shift by a whole one; plus and minus change its width.</p>
  </div>`}function Ku({head:t,centre:e,precision:n,query:s,x:o,y:r,scale:a,chosen:i}){let[l,c]=[o(e[1]+s[1]),r(e[0]+s[0])],p=(u,h)=>{let{long:m,short:f,angle:g}=ye(n,u);return d`<ellipse class=${h} rx=${m*a} ry=${f*a} stroke-dasharray=${h==="half"?Dn(t):null}
      fill-opacity=${i?.22:Math.min(.12,.3/m)}
      transform=${`translate(${l},${c}) rotate(${g*180/Math.PI})`} />`};return d`<g class=${`${$t(t)} ${i?"chosen":""}`}>${p(.9,"most")}${p(.5,"half")}</g>`}var gi=({head:t,at:[e,n]})=>d`<circle cx=${e} cy=${n} r="10" /><text x=${e} y=${n} dy="0.36em" text-anchor="middle">${t+1}</text>`;function Vu({precision:t,cx:e,cy:n,scale:s,size:o,onGrab:r}){let{long:a,angle:i}=ye(t,.5),l=Math.max(a*s,19),c=(g,$)=>Math.min(g,$)>6&&Math.max(g,$)<o-6,p=[i,i+Math.PI].map(g=>{let $=l;for(;$>19&&!c(e+$*Math.cos(g),n+$*Math.sin(g));)$-=4;return[Math.max($,19),g]}),[u,h]=p[0][0]>=p[1][0]?p[0]:p[1],[m,f]=[e+u*Math.cos(h),n+u*Math.sin(h)];return d`<g class="heads-handle" aria-hidden="true" data-handle onPointerDown=${r}>
    <circle class="room" cx=${m} cy=${f} r="14" /><rect x=${m-5} y=${f-5} width="10" height="10" rx="2" />
  </g>`}var He=74;function yi({record:t,at:e,layer:n,onChange:s}){let o=Math.max(t.side/2,Math.min(t.side,t.centres.reduce((l,c)=>Math.max(l,Math.abs(c)),0))),r=He/(2*o+2),a=D(null),i=l=>{let c=ge(l,n,t.layers);c!==null&&(s(c),a.current.children[c].focus())};return d`<div class="heads-layers" role="group" aria-label="Layer" ref=${a}>
    ${Array.from({length:t.layers},(l,c)=>d`<button aria-pressed=${c===n} aria-label=${`Layer ${c+1}`}
      onClick=${()=>s(c)} onKeyDown=${i}>
      <svg viewBox=${`${-He/2} ${-He/2} ${He} ${He}`} aria-hidden="true">
        <rect class="heads-here" x=${-r/2} y=${-r/2} width=${r} height=${r} />
        ${Be(t,e,c).map(({centre:p,precision:u},h)=>{let{long:m,short:f,angle:g}=ye(u,.5);return d`<ellipse class=${$t(h)} stroke-dasharray=${Dn(h)&&"3 2"} rx=${Math.max(m*r,1.5)} ry=${Math.max(f*r,1.5)}
            transform=${`translate(${p[1]*r},${p[0]*r}) rotate(${g*180/Math.PI})`} />`})}
      </svg>
      <span>Layer ${c+1}</span>
    </button>`)}
  </div>`}function bi(t,e,n){let[s,o]=j(null),r=D(null);r.current={index:e,onStep:n};let a=s!==null,i=t-1;return B(()=>{if(!a)return;let p=r.current.index>=i?0:r.current.index,u=Math.min(400,Math.max(40,7e3/Math.max(i,1))),h=null,m=r.current.index,f=$=>{h??=$;let y=Math.min(i,p+($-h)/u);Math.floor(y)!==m&&r.current.onStep(m=Math.floor(y)),o(y>=i?null:y),y<i&&(g=requestAnimationFrame(f))},g=requestAnimationFrame(f);return()=>cancelAnimationFrame(g)},[a,i]),{at:s,isPlaying:a,toggle:()=>{qt()?n(e>=i?0:e+1):o(a?null:e>=i?0:e)},stop:()=>o(null)}}function wi({record:t,index:e,playing:n,onStep:s}){let[o,r]=et(),a=t.steps.length-1,[i,l]=Object.entries(t.curves)[0]??[],c=58,[p,u]=[8,r-8],h=x=>p+(u-p)*x/Math.max(a,1),m=(l??[]).filter(x=>x!==null),[f,g]=i==="accuracy"?[0,1]:[Math.min(...m),Math.max(...m)],$=x=>c-6-(c-12)*(x-f)/(g-f||1),y=De().defined(x=>x!==null).x((x,k)=>h(k)).y($),w=qt()?"Next step":n.isPlaying?"Pause":"Play",b=Object.entries(t.curves).map(([x,k])=>[x.replace("_"," "),k[e]]).filter(([x,k])=>k!==null&&x!=="loss").map(([x,k],P)=>d`${P?" · ":""}${x} <b data-curve=${x}>${x==="accuracy"?`${(100*k).toFixed(1)} %`:L(k)}</b>`);return d`<div class="heads-course" ref=${o}>
    <div class="heads-transport" data-unpictured><button class="main" onClick=${n.toggle}>${w}</button><span class="hint">${qt()?"":"or the space bar"}</span></div>
    <${at} label="Step" value=${e} min=${0} max=${a} step=${1} says=${x=>t.steps[x].toLocaleString("en")} onChange=${s} />
    ${l&&r>0&&d`<svg width=${r} height=${c} role="img" aria-label=${`${i} over training: ${L(m[0])} to ${L(m.at(-1))}`}>
      <line class="base" x1=${p} x2=${u} y1=${c-6} y2=${c-6} />
      <path class="curve curve-1" d=${y(l)} />
      <line class="mark" x1=${h(n.at??e)} x2=${h(n.at??e)} y1="2" y2=${c-6} />
      ${l[e]!==null&&d`<circle class="dot curve-1" cx=${h(e)} cy=${$(l[e])} r="3.5" />`}
    </svg>`}
    <p class="hint heads-read">${b.length?b:e===0&&l?"before training":null}</p>
  </div>`}var Xu=4,lo=t=>Number(t.toFixed(2)),Gu={run:null,training:null,layer:0,step:null,moved:{},query:null,head:0,values:"even",image:!0},vi=t=>typeof t=="string"?t:null;function Ju({ask:t,state:e,change:n,place:s}){let o={...e,run:vi(e.run),training:vi(e.training)},r=Q(t,"recorded",{}),a=r.response?.trainings??[],i=f=>f.run===o.run&&(o.training===null||f.training===o.training),l=o.run===null?a[0]:a.find(i),c=r.response&&a.some(f=>f.run===o.run)&&o.training,p=l?{run:l.run,training:l.training}:c?{run:o.run,training:o.training}:null,u=Q(t,"heads",p),h=G(()=>u.response&&ii(u.response),[u.response]);if(!h){let f=r.response&&!a.length&&"No training has recorded gaussian heads yet: run regard train digits-gaussian.",g=r.response&&!p&&!f&&`The run ${o.run} has recorded no gaussian heads; choose another.`,$=p??{run:o.run,training:""};return d`<${U} error=${r.error??u.error??(f||g||null)} waiting=${r.waiting||u.waiting}>reading the recording …<//>
      ${(u.error||g)&&a.length>0&&d`<${_i} trainings=${[$,...a]} request=${$} change=${n} />`}`}let m={ask:t,change:n,place:s,record:h,trainings:a,request:p,hasValues:l?.has_values??!1,error:u.error};return d`<${Qu} ...${m} state=${Yu(o,h)} />`}function Yu(t,{side:e,layers:n,heads:s,entries:o}){let r=([a,i])=>/^\d+\.\d+$/.test(a)&&Array.isArray(i)&&i.length===2+o&&i.every(Number.isFinite)&&i.slice(0,2).every(l=>Math.abs(l)<=200)&&li(i.slice(2));return{...t,layer:ae(t.layer,0,n-1,0),head:ae(t.head,0,s-1,0),query:mn(t.query,0,e-1),moved:Object.fromEntries(Object.entries(t.moved).filter(r)),step:Number.isFinite(t.step)?t.step:null}}function Qu({ask:t,state:e,change:n,place:s,record:o,trainings:r,request:a,hasValues:i,error:l}){let c=D(null),p=o.steps.length-1,{layer:u,head:h}=e,m=e.step===null?p:Math.max(0,o.steps.findLastIndex(A=>A<=e.step)),f=e.query??[o.side>>1,o.side>>1],g=A=>n({step:A===p?null:o.steps[A]}),$=bi(o.steps.length,m,g),y=(A,q)=>Be(o,q,A).map((K,W)=>Zu(K,e.moved[`${A}.${W}`])),w=y(u,m),[b,x]=th($.at===null?w:y(u,$.at)),k=e.values==="trained"&&i?{...a,layer:u}:null,P=A=>({centres:y(A,m).map(q=>q.centre),precisions:y(A,m).map(q=>q.precision),h:o.side,w:o.side,query:f,values:k&&{...k,layer:A}}),M=vt(t,"kernel",P(u)),O=M.error?null:M.response,N=O?.header.heads.length===o.heads?O.header:null,v=N&&new Float32Array(O.data,O.offset,N.heads.length*N.h*N.w),E=eh({state:e,change:n,record:o,layer:u,resting:w,found:N,glide:x}),C=w.every((A,q)=>e.moved[`${u}.${q}`])?w[h].precision[0]:null,z=Object.keys(e.moved).some(A=>A.startsWith(`${u}.`)),F=z&&e.moved[`${u}.${h}`]?null:o.steps.map((A,q)=>Be(o,q,u)[h].centre),T=A=>{A.key!==" "||A.defaultPrevented||A.target.closest("button, select, summary, [role=button], input:not([type=range])")||(A.preventDefault(),$.toggle())},R=()=>[["recorded",{}],["heads",a],...Array.from({length:o.layers},(A,q)=>["kernel",P(q)])],S=()=>sh(o,w,N,v),_=A=>n({query:A});return d`<div class="heads-frame" ref=${c}><div class="heads" onKeyDown=${T}>
    <div class="heads-left">
      <${I} title="Training">
        <div class="stack">
          <${jt} place=${s} what="choose another run"><${_i} trainings=${r} request=${a} change=${n} /><//>
          <${yi} record=${o} at=${$.at??m} layer=${u} onChange=${A=>n({layer:A})} />
          <${wi} record=${o} index=${m} playing=${$} onStep=${A=>($.stop(),g(A))} />
        </div>
      <//>
      <div class="heads-below" data-unpictured><${I} title="Try it">
        <div class="stack heads-try">
          <${Et} onClick=${E.convolve} off=${!N}>Make it a convolution<//>
          ${C!==null&&d`<${at} label="Sharpness" value=${Math.log10(C)} min=${-1} max=${1.5} step=${.02}
            says=${A=>L(10**A,2)} onChange=${A=>E.sharpen(Number((10**A).toPrecision(3)))} />`}
          <${Et} onClick=${E.back} off=${!z}>Back to the training<//>
          ${i&&d`<${it} label="Values" value=${e.values} options=${[["even","even"],["trained","as trained"]]}
            onChange=${A=>n({values:A})} />`}
          ${o.image&&d`<${yt} label="Show the image" value=${e.image} onChange=${A=>n({image:A})} />`}
        </div>
      <//></div>
    </div>
    <div class="heads-main">
      <${I} title=${`Layer ${u+1}, step ${o.steps[m].toLocaleString("en")}${z?", heads moved":""}`}
        actions=${d`<${ct} name="heads" of=${c} numbers=${S} saves=${R} ask=${t} view="heads" state=${e} place=${s} />`}>
        <p class="note">Each head looks at its centre, relative to the framed query pixel: half of its weight lies in the strong
          ellipse, nine tenths in the faint one.</p>
        <${xi} heads=${b} side=${o.side} margin=${pi(o,u)} query=${f} chosen=${h}
          image=${e.image?o.image:null} trail=${F} at=${$.at??m}
          onPlace=${E.place} onNudge=${E.nudge} onWiden=${E.widen} onChoose=${E.choose} onQuery=${_} />
        <${nh} head=${h} one=${w[h]} edits=${E} isRound=${o.entries===1} />
        <p class="hint heads-how" data-unpictured>Drag a head or its handle; click a pixel to move the query. Or tab to them and use the arrow keys, + and −.</p>
        <${U} error=${l} />
      <//>
      ${N&&d`<${I} title="Degenerate heads"><${fi} found=${N} onChoose=${E.choose} /><//>`}
    </div>
    <div class="heads-right">
      ${N?d`
          <${I} title=${d`<span class=${`heads-dot ${$t(h)}`} />Head ${h+1} from the query`}>
            <${hi} found=${N} maps=${v} head=${h} ...${w[h]} onQuery=${_} />
          <//>
          <${I} title="The kernel that the heads make">
            <${di} found=${N} chosen=${h} onChoose=${E.choose} />
          <//>
          <${I} title="Distance to a true convolution"><${mi} found=${N} isEven=${k===null} /><//>`:d`<${I} title="The kernel that the heads make">${s==="file"?d`<p class="hint">The saved file does not hold what these heads make; regard explore computes it.</p>`:d`<${U} error=${M.error} waiting=${M.waiting} />`}<//>`}
    </div>
  </div></div>`}var Zu=(t,e)=>e?{centre:e.slice(0,2),precision:e.slice(2)}:t;function th(t){let[e,n]=j(1),s=D(t),o=e<1&&s.current.length===t.length?t.map((i,l)=>ao(s.current[l],i,e*e*(3-2*e))):t,r=e<1;return B(()=>{if(!r)return;let i=null,l=p=>{i??=p;let u=Math.min(1,(p-i)/380+.001);n(u),u<1&&(c=requestAnimationFrame(l))},c=requestAnimationFrame(l);return()=>cancelAnimationFrame(c)},[r]),[o,()=>{qt()||(s.current=o,n(0))}]}function eh({state:t,change:e,record:n,layer:s,resting:o,found:r,glide:a}){let i=D(null);i.current={moved:t.moved,resting:o};let l=(h,m)=>{let f={...i.current.moved,[`${s}.${h}`]:[...m.centre,...m.precision]};i.current={moved:f,resting:i.current.resting.map((g,$)=>$===h?m:g)},e({moved:f,head:h})},c=1.5*n.side,p=(h,m)=>l(h,{...i.current.resting[h],centre:m.map(f=>lo(Math.max(-c,Math.min(c,f))))}),u=h=>({...t.moved,...Object.fromEntries(o.map((m,f)=>[`${s}.${f}`,h(m,f)]))});return{choose:h=>e({head:h}),place:p,nudge:(h,m)=>p(h,i.current.resting[h].centre.map((f,g)=>f+m[g])),widen:(h,m,f)=>l(h,{...i.current.resting[h],precision:ci(f??i.current.resting[h].precision,m)}),sharpen:h=>e({moved:u(m=>[...m.centre,...io(n.entries,h)])}),convolve:()=>{a(),e({moved:u((h,m)=>[...r.heads[m].tap??h.centre,...io(n.entries,Xu)])})},back:()=>{a(),e({moved:Object.fromEntries(Object.entries(t.moved).filter(([h])=>!h.startsWith(`${s}.`)))})}}}function _i({trainings:t,request:e,change:n}){let s=({run:i,training:l})=>JSON.stringify([i,l]),r=[...new Set(t.map(i=>i.run))].map(i=>[i,t.filter(l=>l.run===i).map(l=>[s(l),`${l.run} · ${l.training}`])]),a=i=>{let[l,c]=JSON.parse(i);n({run:l,training:c,step:null,moved:{},layer:0,head:0,query:null})};return d`<${st} label="Run" hidden value=${s(e)} options=${r} onChange=${a} />`}function nh({head:t,one:e,edits:n,isRound:s}){let o=r=>a=>n.place(t,e.centre.map((i,l)=>l===r?a:i));return d`<div class="heads-numbers">
    <span><span class=${`heads-dot ${$t(t)}`} />Head ${t+1}</span>
    <label>row <${$e} label=${`Row of head ${t+1}'s centre`} value=${lo(e.centre[0])} onChange=${o(0)} /></label>
    <label>column <${$e} label=${`Column of head ${t+1}'s centre`} value=${lo(e.centre[1])} onChange=${o(1)} /></label>
    ${s&&d`<label>precision <${$e} label=${`Precision of head ${t+1}`} value=${Number(e.precision[0].toPrecision(3))} step=${.05}
      onChange=${r=>n.widen(t,r/e.precision[0],e.precision)} /></label>`}
  </div>`}function sh(t,e,n,s){let o=[t.steps.length,t.layers,t.heads],r={steps:{shape:[t.steps.length],data:t.steps},centres:{shape:[...o,2],data:t.centres},precisions:{shape:[...o,t.entries],data:t.precisions},centre:{shape:[t.heads,2],data:e.flatMap(h=>h.centre)},precision:{shape:[t.heads,t.entries],data:e.flatMap(h=>h.precision)}};if(!n)return r;let{heads:a,h:i,w:l,convolution:c,kernel_size:p}=n,u=h=>[h,{shape:[],data:[c[h]]}];return{...r,maps:{shape:[a.length,i,l],data:s},kernel_size:{shape:[p.length],data:p},taps:{shape:[a.length,2],data:a.flatMap(h=>h.tap??[null,null])},tap_distances:{shape:[a.length],data:a.map(h=>h.distance)},peaks:{shape:[a.length,2],data:a.flatMap(h=>h.peak??[null,null])},softness:{shape:[a.length],data:a.map(h=>h.softness)},...c&&Object.fromEntries(["bound","worst","measured"].map(u))}}var ki={name:"heads",title:"Heads",about:"Gaussian heads on the grid of pixels: watch them learn where to look, move them, and see how close they are to a convolution.",state:Gu,View:Ju};var oh=24*2**20,rh="these maps are no longer in memory";function ah({header:t,data:e,offset:n}){let s=t.shape[0]*t.shape[1];if(t.type==="float32")return new Float32Array(e,n,s);if(t.type==="float16")return new Float32Array(new Float16Array(e,n,s));let[o,r]=[new Uint8Array(e,n,s),new Float32Array(s)];for(let a=0;a<s;a++)r[a]=(o[a]/255)**2;return r}var co=class{responses=new Map;size=0;get(e){let n=this.responses.get(e);return n&&(this.responses.delete(e),this.responses.set(e,n)),n}put(e,n){this.responses.set(e,n),this.size+=n.data.byteLength;for(let[s,o]of this.responses){if(this.size<=oh||this.responses.size===1)break;this.responses.delete(s),this.size-=o.data.byteLength}}};function po(t,e,n,s){let o=D(null);o.current??=new co;let r=D({response:null,of:null}),a=D({of:null,error:null}),[,i]=j(0),l=()=>i(h=>h+1),c=n&&JSON.stringify(n),p=c&&o.current.get(c);p?r.current={response:p,of:n.key}:n&&r.current.of!==n.key&&(r.current={response:null,of:null}),B(()=>{if(!c||o.current.get(c))return;let h=new AbortController,m=()=>t(e,JSON.parse(c),{signal:h.signal});return m().catch(async f=>{if(!f.message?.startsWith(rh))throw f;return await t("maps",s,{signal:h.signal}),m()}).then(f=>(o.current.put(c,f),l()),f=>wt(f)||(a.current={of:c,error:f.message},l())),()=>h.abort()},[t,e,c]);let u=a.current.of===c?a.current.error:null;return{response:c&&!u?r.current.response:null,error:u,waiting:!!c&&!p&&!u}}function se(t,e,n){let{response:s,error:o,waiting:r}=po(t,"tile",e,n),a=G(()=>s&&ah(s),[s]);return{tile:s&&{...s.header,weights:a},error:o,waiting:r}}function Mi(t,e,n){let{response:s,error:o,waiting:r}=po(t,"overview",e,n);return{thumbs:G(()=>{if(!s)return null;let i=s.offset;return s.header.shapes.map(([l,c,p],u)=>Array.from({length:l},(h,m)=>{let f=new Uint8Array(s.data,i,c*p);return i+=c*p,{bytes:f,rows:c,columns:p,limit:s.header.limits[u][m]}}))},[s]),error:o,waiting:r}}function Si(t,e,n){let{response:s}=po(t,"picture",e,n);return G(()=>{if(!s)return null;let{height:o,width:r}=s.header,a=new Uint8Array(s.data,s.offset,3*o*r),i=new ImageData(r,o);for(let l=0;l<o*r;l++){for(let c=0;c<3;c++)i.data[4*l+c]=a[3*l+c];i.data[4*l+3]=255}return i},[s])}function qn(t,e=8){return Array.from(t.keys()).sort((s,o)=>t[o]-t[s]).slice(0,e).filter(s=>t[s]>0)}var Fn=18,Wt=48;function Ni({weights:t,rows:e,columns:n,rowNames:s,columnNames:o,first:r=0,start:a=0,width:i,pinned:l,limit:c,label:p,onPoint:u,onPin:h}){let m=Y(),[f,g]=j(null),$=f??(l!==null&&l>=r&&l<r+e?l-r:null),y=Math.max(220,Math.min(i,640)),[w,b]=[y*.34,y*.66],x=Fn*Math.max(e,n)+8,k=Math.max(.02,c*.08),P=[];for(let T=0;T<e;T++)if(!($!==null&&T!==$))for(let R=0;R<n;R++){let S=t[T*n+R];Math.abs(S)>=($===null?k:.002)&&P.push([T,R,S])}let M=T=>4+Fn*(T+.5),O=T=>(g(T),u(T===null?null:T)),N=T=>{let R={ArrowUp:-1,ArrowDown:1,Home:-e,End:e}[T.key];R?(T.preventDefault(),O($===null?0:Math.max(0,Math.min(e-1,$+R)))):(T.key==="Enter"||T.key===" ")&&$!==null?(T.preventDefault(),h($)):T.key==="Escape"&&O(null)},v=(T,R)=>(T?.[R]??String(R+1)).slice(0,22),E=$===null?null:Math.max(...Array.from({length:n},(T,R)=>t[$*n+R])),C=P.slice().sort((T,R)=>R[2]-T[2]).slice(0,3).map(([,T,R])=>`${v(o,T)} ${L(R)}`),z=$===null?`${e} tokens on the left, ${n} on the right; use the up and down keys to move, Enter to pin`:`${v(s,$)} looks at ${C.join(", ")}`,F=T=>Math.min(1,.08+Math.sqrt(Math.abs(T)/Math.max(c,Math.abs(T)))*($===null?.7:.9));return d`<div class="maps-lines" tabindex="0" role="application" aria-roledescription="lines between tokens" aria-label=${p} aria-describedby=${m}
    onKeyDown=${N} onBlur=${()=>O(null)} onPointerLeave=${()=>O(null)}>
    <svg width=${y} height=${x} aria-hidden="true">
      <g>${P.map(([T,R,S])=>d`<path d=${`M${w} ${M(T)}C${y/2} ${M(T)} ${y/2} ${M(R)} ${b} ${M(R)}`}
        class=${S<0?"less":""} stroke-width=${.6+3.4*Math.sqrt(Math.abs(S))} stroke-opacity=${F(S)} />`)}</g>
      ${Array.from({length:e},(T,R)=>d`<g class=${`token${R===$?" now":$===null?"":" off"}`}
        onPointerEnter=${()=>O(R)} onClick=${()=>h(R)}>
        <rect x="0" y=${M(R)-Fn/2} width=${w} height=${Fn} /><text x=${w-8} y=${M(R)} dy="0.35em"
          text-anchor="end">${v(s,R)}</text></g>`)}
      ${Array.from({length:n},(T,R)=>{let S=$===null?null:t[$*n+R];return d`<g class=${`token key${S!==null&&Math.abs(S)<.002?" off":""}${S!==null&&S===E?" now":""}`}>
          <text x=${b+8} y=${M(R)} dy="0.35em">${v(o,R)}</text>
          ${S!==null&&Math.abs(S)>=.002&&d`<text class="weight" x=${y-4} y=${M(R)} dy="0.35em"
            text-anchor="end">${L(S)}</text>`}</g>`})}
    </svg>
    <span id=${m} class="unseen" aria-live="polite">${z}</span>
  </div>`}function Ci(t,e,n){return[...n&&t>0?[58,92,224]:[240,120,30],Math.round(235*Math.min(1,Math.sqrt(Math.abs(t)/e)))]}function ih({most:t,signed:e}){let n=D(null);return pt(()=>{[n.current.width,n.current.height]=[128,1];let s=new ImageData(128,1),o=e?-t:0;for(let r=0;r<128;r++)s.data.set(Ci(o+(t-o)*r/127,t,e),4*r);n.current.getContext("2d").putImageData(s,0,0)},[t,e]),d`<div class="legend maps-veil"><span>${e?L(-t,2):0}</span><canvas ref=${n} aria-hidden="true"></canvas>
    <span>${L(t,2)}</span><span class="of">${e?"first minus second":"weight"}</span></div>`}function Ai({image:t,weights:e,count:n,first:s,grid:o,query:r,limit:a,signed:i,side:l=400,label:c,onQuery:p,onPoint:u}){let h=ht(),[m,f]=[D(null),D(null)],g=Y(),[$,y]=j(null),[w,b]=o,x=Math.min(l/w,l/b),[k,P]=[x*b,x*w],M=e.subarray(r*n,(r+1)*n),O=a??Math.max(...M.subarray(s),1e-9);pt(()=>{[m.current.width,m.current.height]=[t.width,t.height],m.current.getContext("2d").putImageData(t,0,0)},[t]),pt(()=>{[f.current.width,f.current.height]=[b,w];let T=new ImageData(b,w);for(let R=0;R<w*b;R++)T.data.set(Ci(M[s+R],O,i),4*R);f.current.getContext("2d").putImageData(T,0,0)},[e,r,o,O,i,h]);let N=T=>{let R=f.current.getBoundingClientRect(),[S,_]=[Math.floor((T.clientY-R.top)/R.height*w),Math.floor((T.clientX-R.left)/R.width*b)];return S>=0&&_>=0&&S<w&&_<b?s+S*b+_:null},v=T=>(y(T),u(T===null?null:[r,T])),E=T=>{let R={ArrowUp:-b,ArrowDown:b,ArrowLeft:-1,ArrowRight:1}[T.key];if(!R)return;T.preventDefault();let _=(r<s?s:r)+R;_>=s&&_<n&&(y(null),p(_))},C=T=>T<s?"the class token":`row ${Math.floor((T-s)/b)+1}, column ${(T-s)%b+1}`,z=(T,R)=>T>=s&&d`<rect class=${R} x=${(T-s)%b*x}
    y=${Math.floor((T-s)/b)*x} width=${x} height=${x} />`,F=M.indexOf(Math.max(...M));return d`<div class="maps-patches" tabindex="0" role="application" aria-roledescription="picture of patches" aria-label=${c} aria-describedby=${g}
    style=${{width:`${k}px`,height:`${P}px`}} onKeyDown=${E} onPointerMove=${T=>v(N(T))} onPointerLeave=${()=>v(null)}
    onClick=${T=>N(T)!==null&&p(N(T))}>
    <canvas ref=${m} class=${t.width<64?"coarse":""}></canvas><canvas ref=${f} class="coarse"></canvas>
    <svg width=${k} height=${P} aria-hidden="true">${$!==null&&z($,"pointed")}${z(r,"query")}</svg>
    <span id=${g} class="unseen" aria-live="polite">${C(r)} looks most at ${C(F)}, ${L(M[F])}; the arrow keys choose the patch that looks</span>
  </div><${ih} most=${O} signed=${i} />`}var[uo,ho,mo,lh]=[26,22,4,13],ch=50;function fo({thumbs:t,minus:e,colour:n,layer:s,head:o,onChoose:r,label:a,width:i,tags:l,order:c,says:p}){let u=ht(),h=D(null),m=Y(),[f,g]=j(null),[$,y]=c?[0,2]:[uo,ho],w=Math.max(...t.map(S=>S.length)),b=c?Math.min(c.length,Math.max(1,Math.floor(i/80))):w,x=Math.max(18,Math.min(84,Math.floor((i-$)/b)-mo)),k=x>=ch,[P,M]=[x+mo,x+mo+(k?lh:0)],O=c?c.map(([S,_,A],q)=>({l:S,h:_,share:A,x:q%b*P,y:Math.floor(q/b)*M})):t.flatMap((S,_)=>S.map((A,q)=>({l:_,h:q,x:q*P,y:_*M}))),[N,v]=[b*P,Math.max(...O.map(({y:S})=>S))+M];pt(()=>{let S=Math.min(2,globalThis.devicePixelRatio||1),_=h.current;_.width=Math.round(N*S),_.height=Math.round(v*S);let A=_.getContext("2d");A.scale(S,S);let[q,K]=[0,1].map(ut=>Math.max(...O.map(({l:ft,h:Kt})=>ut?t[ft][Kt].columns:t[ft][Kt].rows))),W=document.createElement("canvas");[W.width,W.height]=[b*K,Math.ceil(O.length/b)*q];let H=new ImageData(W.width,W.height),ot=new Uint32Array(H.data.buffer),mt=O.map((ut,ft)=>[ft%b*K,Math.floor(ft/b)*q]);O.forEach(({l:ut,h:ft},Kt)=>{let{rows:Yn,columns:Qn}=t[ut][ft],[Zn,Je]=e?.[ut]?.[ft]?uh(t[ut][ft],e[ut][ft]):ph(t[ut][ft],n);for(let ts=0,Jl=0;ts<Yn;ts++){let Yl=(mt[Kt][1]+ts)*W.width+mt[Kt][0];for(let es=0;es<Qn;es++)ot[Yl+es]=Je[Zn[Jl++]]}}),W.getContext("2d").putImageData(H,0,0),O.forEach(({l:ut,h:ft,x:Kt,y:Yn},Qn)=>{let{rows:Zn,columns:Je}=t[ut][ft];A.imageSmoothingEnabled=Je>x*S,A.drawImage(W,...mt[Qn],Je,Zn,Kt,Yn,x,x)})},[t,e,n,x,u,JSON.stringify(c)]);let E=S=>{let _=h.current.getBoundingClientRect(),[A,q]=[Math.floor((S.clientY-_.top)/M),Math.floor((S.clientX-_.left)/P)];return O.find(({x:K,y:W})=>K===q*P&&W===A*M)??null},C=O.findIndex(({l:S,h:_})=>S===s&&_===o),z=S=>{let _={ArrowUp:[0,-M],ArrowDown:[0,M],ArrowLeft:[-P,0],ArrowRight:[P,0],Home:[-N,0],End:[N,0]}[S.key];if(!_||!r)return;S.preventDefault();let{x:A,y:q}=O[Math.max(0,C)],K=O.filter(H=>H.y===Math.max(0,Math.min(v-M,q+_[1]))),W=K[Math.max(0,Math.min(K.length-1,(A+_[0])/P))]??K.at(Math.sign(_[0])<0?0:-1);r(W.l,W.h)},F=({x:S,y:_},A)=>d`<rect class=${A} x=${$+S-2} y=${y+_-2} width=${x+4} height=${x+4} rx="4" />`,T=f??{l:s,h:o},R=({l:S,h:_,share:A})=>c?`${S+1}·${_+1}: ${Math.round(100*A)} %`:(l[S]?.[_]?.[0]??"").replace(" token","");return d`<div class="maps-overview" style=${{width:`${$+N}px`,height:`${y+v}px`}} tabindex="0" role="application"
    aria-roledescription="grid of heads" aria-label=${a} aria-describedby=${m} data-heads=${`${t.length}x${w}`} onKeyDown=${z}
    onPointerMove=${S=>g(E(S))} onPointerLeave=${()=>g(null)}
    onClick=${S=>E(S)&&r?.(E(S).l,E(S).h)} aria-disabled=${r?null:"true"}>
    <canvas ref=${h} style=${{left:`${$}px`,top:`${y}px`,width:`${N}px`,height:`${v}px`}}></canvas>
    <svg width=${$+N} height=${y+v} aria-hidden="true">
      ${!c&&t.map((S,_)=>d`<text class=${_===s?"now":""} x=${uo-8} y=${ho+_*M+x/2} dy="0.35em"
        text-anchor="end">${_+1}</text>`)}
      ${!c&&Array.from({length:w},(S,_)=>d`<text class=${_===o?"now":""} x=${uo+_*P+x/2} y=${ho-8}
        text-anchor="middle">${_+1}</text>`)}
      <path class="cell" d=${O.map(({x:S,y:_})=>`M${$+S-.5} ${y+_-.5}h${x+1}v${x+1}h${-x-1}z`).join("")} />
      ${k&&O.map(S=>d`<text class="tag" x=${$+S.x+x/2} y=${y+S.y+x+10} text-anchor="middle">${R(S)}</text>`)}
      ${f&&r&&F(f,"pointed")}${C>=0&&F(O[C],"chosen")}
    </svg>
    <span id=${m} class="unseen"
      aria-live="polite">layer ${s+1} of ${t.length}, head ${o+1} of ${t[s]?.length}${r?"; use the arrow keys to move":""}</span>
  </div><p class="hint maps-told">${`Layer ${T.l+1}, head ${T.h+1}: ${p(T.l,T.h)||"no pattern stands out"}`}</p>`}function ph({bytes:t,limit:e},n){let s=new Uint32Array(Gt("weight").buffer),o=n==="own"&&e>0?1/Math.sqrt(e):1;return[t,Uint32Array.from({length:256},(r,a)=>s[Math.min(255,Math.round(a*o))])]}function uh(t,e){let n=Math.max(t.limit,e.limit,1e-6),s=(r,a)=>(r/255)**2-(e.bytes[a]/255)**2;return[t.bytes.map((r,a)=>Math.max(0,Math.min(255,Math.round(255*(.5+s(r,a)/n/2))))),new Uint32Array(Gt("signed").buffer)]}var Pt=40;function Oi({ask:t,sides:e,heads:n,kind:s,layer:o,head:r,state:a,change:i,actions:l,differs:c,says:p,isFile:u,isLarge:h}){let[m,f]=et(),g=hh(m),[$,y]=j(null),[w,b]=n.map(({tile:W})=>W),x=!!e[1].maps,[k,P]=e,M=s.layers[o].grid,O=e.map(({maps:W,request:H})=>Si(t,W?.pictured?{key:W.key}:null,H));B(()=>y(null),[k.maps?.key,P.maps?.key,s.name]);let N=w&&b&&String(w.shape)===String(b.shape),v=x&&a.compare==="difference",E=G(()=>v&&N?gh(w.weights,b.weights):null,[v,w?.weights,b?.weights]),C=[...M&&O[0]?[["picture","Picture"]]:[],["matrix","Matrix"],["lines","Lines"]],z=C.some(([W])=>W===a.show)?a.show:C[0][0],F=`Layer ${o+1}, head ${r+1}`,T={kind:s,layer:o,head:r,state:a,change:i,show:z,setPoint:y,grid:M,near:a.near,isFile:u,high:g},R=Math.max(w?.limit??0,x&&b?.limit||0),S=f<440,_=S?f:(f-24)/2,A=Math.max(160,x&&!v?_:f),q=v&&w&&b&&!N,K=($??a.pin)?.[0]??null;return d`<${I} title=${F} class="maps-head" actions=${d`<div class="row maps-nameless">${C.length>1&&d`<fieldset
    class="maps-held" disabled=${u&&h}><${it} label="Show as" value=${z} options=${C}
      onChange=${W=>i({show:W})} /></fieldset>`}${l}</div>`}>
    <div class="maps-split">
    <div ref=${m} class=${`maps-pair${x?" two":""}${S?" stacked":""}`}>
      ${w&&f>0&&(v&&!q?E&&d`<${$o} tile=${{...w,weights:E,limit:xh(E)}} signed maps=${k.maps} image=${O[0]}
          width=${A} name="First minus second" ...${T} />`:d`<${$o} tile=${{...w,limit:R}} maps=${k.maps} image=${O[0]} width=${q?_:A}
          name=${x?"First":null} ...${T} />
            ${x&&b&&d`<${$o} tile=${{...b,limit:R}} maps=${P.maps} image=${O[1]}
              width=${q?_:A} name="Second" ...${T} />`}`)}
    </div>
    <div class="maps-side">
    ${q&&d`<p class="hint maps-refused">
      A difference needs maps of one shape: these are ${w.shape.join(" × ")} and ${b.shape.join(" × ")}, so they are shown side by side.</p>`}
    ${v&&!q&&c&&d`<p class="maps-warned" role="status">The two read different inputs: differences may
      come from the inputs, not from the model or its training.</p>`}
    <${U} error=${n[0].error??n[1].error} />
    ${w&&d`${[w,x?b:null].map((W,H)=>W&&d`<${wh} key=${H} ask=${t} maps=${e[H].maps} kind=${s} layer=${o}
        head=${r} grid=${M} of=${x?["First: a","Second: a"][H]:"A"} says=${p[H]} />`)}
      <${bh} ask=${t} layer=${o} head=${r} show=${z} point=${$??a.pin} pinned=${!$}
        tiles=${[w,x?b:null]} sides=${e} kind=${s} />
      ${K!==null&&d`<${_h} ask=${t} sides=${e} kind=${s} layer=${o} head=${r} row=${K} isPinned=${a.pin?.[0]===K} isTwo=${x}
        onUnpin=${()=>(m.current.querySelector(".maps-one [tabindex='0']")?.focus(),i({pin:null}))} tiles=${[w,b]} />`}
      ${e.map((W,H)=>W.maps?.predicts&&W.isNow&&s.rows==="tokens"&&d`<${Mh} key=${H} ask=${t} side=${W} row=${K}
        of=${x?["First: ","Second: "][H]:""} />`)}`}
    </div></div>
  </${I}>`}function hh(t){let[e,n]=j(1/0);return pt(()=>{let s=()=>{let r=t.current.getBoundingClientRect().top+globalThis.scrollY;n(r>.6*innerHeight?1/0:Math.max(320,innerHeight-r-70))},o=new ResizeObserver(s);return o.observe(document.documentElement),addEventListener("resize",s),()=>(o.disconnect(),removeEventListener("resize",s))},[]),e}function $o({tile:t,maps:e,image:n,width:s,name:o,signed:r,kind:a,layer:i,head:l,state:c,change:p,show:u,setPoint:h,grid:m,near:f,isFile:g,high:$}){let[y,w]=t.shape,b=(z,F)=>e.axes[z]?e.axes[z].slice(F):null,[x,k]=[b(a.rows,t.rows[0]),b(a.columns,t.columns[0])],P=r?t.limit:c.colour==="own"&&t.limit||1,M=`weights of layer ${i+1}, head ${l+1}${o?`, ${o}`:""}: ${a.rows} by ${a.columns}`,O=(z,F)=>p({pin:[t.rows[0]+z*t.pool,F===null?null:t.columns[0]+F*t.pool]}),N=(z,F)=>h(z==null?null:[t.rows[0]+z*t.pool,t.columns[0]+F*t.pool]),v=c.pin&&c.pin[1]!==null?Pi(c.pin,t):null,E=a.layers[i],C;if(u==="picture"&&m&&n&&!f){let z=Math.min(c.pin?.[0]??e.first+Math.floor(m[0]/2)*m[1]+Math.floor(m[1]/2),w-1);C=d`<${Ai} image=${n} weights=${t.weights} count=${w} first=${e.first} grid=${m} query=${z}
      limit=${r||c.colour==="one"?P:null} signed=${r} side=${Math.min(s,440)} label=${M}
      onQuery=${F=>p({pin:[F,null]})} onPoint=${h} />
      ${e.first>0&&d`<button class="quiet" aria-pressed=${z<e.first}
        onClick=${()=>p({pin:[0,null]})}>From the class token</button>`}`}else if(u==="lines"){let z=y<E.rows||w<E.columns;C=d`${z&&d`<div class="row"><${Ti} near=${f??[0,0]} whole=${E} change=${p} isFile=${g} fixed /></div>`}<${$h}
      tile=${t} rowNames=${x} columnNames=${k} width=${s} limit=${r?t.limit:t.limit||1} label=${M} state=${c}
      pin=${O} pointed=${h} />`}else{let z=Ga(m?null:x?.slice(0,y),Math.max(y,w),s-18),F=Math.min(z,$-mh(m?null:k?.slice(0,w),Math.min(z,$)/w)),T=Math.ceil(Math.max(y,w)/Math.max(F,64)),R=no(t.weights,y,w,T),S=m||T>1?[null,null]:[x?.slice(0,y),k?.slice(0,w)],_=(H,ot)=>{let mt=R.at?.[H*R.columns+ot];return mt?[Math.floor((mt-1)/w),(mt-1)%w]:[H*T,ot*T]},A=(H,ot)=>{let[mt,ut]=_(H,ot);return[x?.[mt*t.pool]??`${mt+1}`,k?.[ut*t.pool]??`${ut+1}`,L(t.weights[mt*w+ut])]},q=(H,ot)=>A(H,ot).join(" → ").replace(/ → (?!.* → )/,": "),K=(H,ot)=>d`${A(H,ot)[0]} → ${A(H,ot)[1]} <b>${A(H,ot)[2]}</b>`,W=d`<${Nt} data=${R.data} rows=${R.rows} columns=${R.columns} scale=${r?"signed":"weight"} limit=${P}
      label=${M} side=${F} says=${q} tip=${K} titles=${dh} rowNames=${S[0]} columnNames=${S[1]}
        chosen=${v?.map(H=>Math.floor(H/T))} onChoose=${(H,ot)=>O(..._(H,ot))}
        onPoint=${(H,ot)=>H===null?N(null):N(..._(H,ot))} />`;C=d`${W}
      <div class="row maps-under"><${xe} scale=${r?"signed":"weight"} limit=${P}
        label=${r?"first minus second":P<.995?"and above":"weight"} />
        ${Math.max(E.rows,E.columns)>Pt&&d`<${Ti} near=${f} whole=${E} pin=${c.pin} change=${p} isFile=${g} />`}</div>
      ${t.pool*T>1&&d`<p
        class="hint">Each pixel is the strongest of ${t.pool*T} × ${t.pool*T} weights; look closer to see each.</p>`}`}return d`<div class="maps-one">${o&&d`<h3>${o}</h3>`}${C}</div>`}var dh=["query ↓ looks","key → is looked at"];function mh(t,e){let n=Math.max(0,...(t??[]).map(s=>s.length));return 24+(e<9||!t?0:n*7.2>e?18+7.2*Math.min(13,n):18)}function Ti({isFile:t,...e}){return d`<fieldset class="maps-held row" disabled=${t}><${fh} ...${e} /></fieldset>`}function fh({near:t,whole:e,pin:n,change:s,fixed:o}){if(!t){let r=(a,i)=>Math.max(0,Math.min(i-Pt,Math.round((a??0)-Pt/2)));return d`<button onClick=${()=>s({near:[r(n?.[0],e.rows),r(n?.[1]??n?.[0],e.columns)]})}>Look closer</button>`}return d`${!o&&d`<button onClick=${()=>s({near:null})}>The whole map</button>`}
    <${at} label="Rows from" value=${t[0]+1} min=${1} max=${Math.max(1,e.rows-Pt+1)} step=${1}
      onChange=${r=>s({near:[r-1,t[1]]})} />
    <${at} label="Columns from" value=${t[1]+1} min=${1} max=${Math.max(1,e.columns-Pt+1)} step=${1}
      onChange=${r=>s({near:[t[0],r-1]})} />`}function $h({tile:t,rowNames:e,columnNames:n,width:s,limit:o,label:r,state:a,pin:i,pointed:l}){let[c,p]=t.shape,[u,h]=j(0),m=Math.max(c,p),f=Math.min(u,Math.max(0,m-Wt)),g=x=>[Math.min(f,Math.max(0,x-Wt)),Math.min(f+Wt,x)],[$,y]=[g(c),g(p)],w=G(()=>{let x=new Float32Array(($[1]-$[0])*(y[1]-y[0]));for(let k=$[0];k<$[1];k++)x.set(t.weights.subarray(k*p+y[0],k*p+y[1]),(k-$[0])*(y[1]-y[0]));return x},[t.weights,$[0],$[1],y[0],y[1]]),b=x=>qn(w.subarray(x*(y[1]-y[0]),(x+1)*(y[1]-y[0])),1)[0]??0;return d`${m>Wt&&d`<${at} label="Tokens from" value=${f+1} min=${1} max=${m-Wt+1} step=${1}
    onChange=${x=>h(x-1)} />`}
    <${Ni} weights=${w} rows=${$[1]-$[0]} columns=${y[1]-y[0]} rowNames=${e?.slice($[0])} columnNames=${n?.slice(y[0])}
      width=${s} limit=${o} label=${r}
      pinned=${a.pin?a.pin[0]-t.rows[0]-$[0]:null} first=${0}
      onPoint=${x=>l(x===null?null:[t.rows[0]+$[0]+x,t.columns[0]+y[0]+b(x)])} onPin=${x=>i($[0]+x,y[0]+b(x))} />
    <p class="hint">${m>Wt?`${Wt} tokens of each side; f`:"F"}aint weights have no line.</p>`}var gh=(t,e)=>t.map((n,s)=>n-e[s]),xh=t=>t.reduce((e,n)=>Math.max(e,Math.abs(n)),1e-9);function Pi([t,e],n){let[s,o]=[Math.floor((t-n.rows[0])/n.pool),Math.floor((e-n.columns[0])/n.pool)];return s>=0&&o>=0&&s<n.shape[0]&&o<n.shape[1]?[s,o]:null}var Ei=(t,e,n)=>`${t.axes[e]?.[n]??""}`,In=(t,e,n,s)=>e.layers[0].grid||!t.axes[n]?Ei(t,n,s)||`${n} ${s+1}`:`${Ei(t,n,s)}`,yh={matrix:"Point at the map, or use the arrow keys; click or press Enter to pin.",lines:"Point at a token on the left, or use the arrow keys, to see its lines alone; click or press Enter to pin.",picture:"Click a patch, or use the arrow keys, to choose the patch that looks, which is framed. Point to read its weights."};function bh({ask:t,layer:e,head:n,show:s,point:o,pinned:r,tiles:a,sides:i,kind:l}){let c=i[0].maps,p=o&&o[1]!==null&&a[0].pool>1?a[0].pool:0,u=p?{rows:[o[0],o[0]+p],columns:[o[1],o[1]+p],most:16}:null,h=se(t,u&&{key:c.key,kind:l.name,layer:e,head:n,...u},i[0].request),m=se(t,u&&a[1]?{key:i[1].maps.key,kind:l.name,layer:e,head:n,...u}:null,i[1].request),f=h.tile&&o&&h.tile.rows[0]===o[0]&&h.tile.columns[0]===o[1];if(p&&f&&h.tile.pool===1){let x=qn(h.tile.weights,1)[0]??0;o=[o[0]+Math.floor(x/h.tile.shape[1]),o[1]+x%h.tile.shape[1]],a=[h.tile,m.tile]}let g=o;if(!g||g[1]===null)return d`<p class="maps-reading hint">${yh[s]}</p>`;let $=a.map(x=>{let k=x&&Pi(g,x);return k?x.weights[k[0]*x.shape[1]+k[1]]:null}),y=[In(c,l,l.rows,g[0]),In(c,l,l.columns,g[1])],w=l.layers[0].grid?"":` (${g[0]+1} → ${g[1]+1})`,b=a[0].pool>1?", the largest around":"";return d`<p class="maps-reading" data-reading>${r?"Pinned: ":""}<b>${y[0]}</b> → <b>${y[1]}</b><span
    class="hint">${w}${b}</span>
    <span class="maps-number" data-weight=${$[0]}>${L($[0],4)}</span>
    ${a[1]&&d`<span class="hint maps-and">second</span><span class="maps-number">${L($[1],4)}</span>
      <span class="hint maps-and">difference</span><span class="maps-number">${$[1]===null?"–":L($[0]-$[1],4)}</span>`}</p>`}function wh({ask:t,maps:e,kind:n,layer:s,head:o,grid:r,of:a,says:i}){let{response:l}=Q(t,"facts",{key:e.key,kind:n.name,layer:s,head:o}),c=l&&n.rows===n.columns&&!r?`, ${L(l.distance,2)} tokens away on average`:"",p={float32:"",float16:" Weights are kept to 3 digits.",uint8:" Weights are kept to about 1/255 of their root."}[e.type],u=l&&`${a} query looks at about ${L(2**l.entropy,2)} tokens: ${L(l.entropy,3)} bits of entropy${c}.${p}`;return d`${i&&d`<p class="maps-tags">${i.split(", ").map(h=>d`<span class="badge">${h}</span>`)}</p>`}
    <p class="hint maps-facts" data-entropy=${l?.entropy}>${u??" "}</p>`}function vh(t,e,n){return!t||!e||t.pool>1||t.rows[0]>0||t.shape[0]<e.rows||t.shape[1]<e.columns||n>=e.rows?null:t.weights.subarray(n*t.shape[1],(n+1)*t.shape[1])}function _h({ask:t,sides:e,kind:n,layer:s,head:o,row:r,isPinned:a,isTwo:i,onUnpin:l,tiles:c}){let p=e.map(b=>b.maps?.kinds.find(x=>x.name===n.name)?.layers[s]),u=c.map((b,x)=>vh(b,p[x],r)),h=b=>{let x=e[b];return!u[b]&&p[b]&&r<p[b].rows&&o<p[b].heads?{key:x.maps.key,kind:n.name,layer:s,head:o,rows:[r,r+1],most:4096}:null},m=[se(t,h(0),e[0].request),se(t,i?h(1):null,e[1].request)],f=u[0]??m[0].tile?.weights;if(!f)return null;let g=i?u[1]??m[1].tile?.weights:null,$=e[0].maps,y=qn(f,kh),w=f[y[0]]||1;return d`<div class="maps-pinned">
    <div class="panel-head"><h3>What ${In($,n,n.rows,r)}${n.layers[0].grid?"":` (${r+1})`} looks at most</h3>
      ${a&&d`<button class="quiet" onClick=${l}>Unpin</button>`}</div>
    <table class="lines" data-pinned=${a?r:null} data-looks=${r}><thead><tr><th>Key</th><th class="number">Position</th><th class="number">Weight</th>${g&&d`<th
      class="number">Second</th>`}<th><span class="unseen">Bar</span></th></tr></thead>
      <tbody>${y.map(b=>d`<tr><td>${In($,n,n.columns,b)}</td><td class="number">${b+1}</td><td
        class="number">${L(f[b],4)}</td>
        ${g&&d`<td class="number">${b<g.length?L(g[b],4):"–"}</td>`}
        <td class="maps-bar"><span style=${{width:`${100*f[b]/w}%`}}></span></td></tr>`)}</tbody></table>
  </div>`}var kh=6;function Mh({ask:t,side:e,row:n,of:s}){let{response:o,of:r}=Q(t,"next",{model:e.request.model,text:e.request.text}),a=e.maps.axes.tokens;if(!o||o.tokens.length!==a.length||JSON.parse(r).text!==e.request.text)return null;let i=n===null||n>=a.length?a.length-1:n;return d`<div class="maps-next" data-next=${i}><h3>${s}After ${a[i]} (${i+1}) the model expects</h3>
    <table><tbody>${o.tokens[i].map((l,c)=>d`<tr class=${l===a[i+1]?"now":""}><th scope="row">${l}</th>
      <td class="number">${(100*o.probabilities[i][c]).toFixed(1)} %</td><td class="maps-bar"><span style=${{width:`${100*o.probabilities[i][c]}%`}}></span></td></tr>`)}</tbody></table>
    ${a[i+1]!==void 0&&d`<p class="hint">Next in the text: ${a[i+1]}.</p>`}</div>`}var Sh=8*2**20;function zi(t,{model:e,text:n,target:s,image:o,step:r,picture:a},i){let l=Wn(t,e);if(!l)return null;let c={model:l.name};if(r!==null&&l.steps.includes(r))return{...c,step:r};if(l.takes==="image")return i.has(a)?{...c,picture:i.get(a)}:{...c,image:go(l,o)};if(l.takes==="nothing")return c;let p=n??l.examples[0]??"";return l.takes==="pair"?{...c,text:p,target:s}:{...c,text:p}}var go=(t,e)=>Math.max(0,Math.min(t.images-1,Math.round(e)||0));function Wn(t,e){if(!t?.length)return null;let n=t.find(s=>s.group==="Notebook"||s.group==="Model folders")??t.find(s=>s.group==="Shipped");return t.find(s=>s.name===e)??n??t[0]}function Ri(t,{text:e,target:n,image:s,step:o,picture:r}){let a={model:t.name,text:e,target:n,image:s,step:o,picture:r},i=t.examples.find(p=>p!==(e??t.examples[0]));if(!t.steps.includes(o)&&(t.takes==="text"||t.takes==="pair"||e!==null)&&i!==void 0)return{...a,text:i,target:""};let c=t.steps.find(p=>p!==o);return c!==void 0?{...a,step:c}:{...a,image:Nh(t,s,r),picture:""}}var Nh=(t,e,n)=>n?e:(e+1)%Math.max(1,t.images);function yo({request:t,maps:e}){if(!t||!e)return null;let n=e.axes.read??e.axes.tokens;return n?n.join(n.every(s=>[...s].length===1)?"":" ").replaceAll("␣"," "):e.pictured?t.picture??`image no. ${t.image??0}`:null}var Ch=t=>t.length>240?`${t.slice(0,239)}…`:t;function bo({models:t,value:e,set:n,pictures:s,open:o,side:r,title:a,place:i,more:l}){let c=Wn(t,e.model),p=$=>t.filter(y=>y.group===$).map(y=>[y.name,y.label]),u=[...new Set(t.map($=>$.group))].map($=>[$,p($)]),h=e.step!==null&&c.steps.includes(e.step),m=$=>n({model:$,text:null,target:"",step:null}),f=r.maps?.caption,g=h&&r.isNow?yo(r):null;return d`<div class="maps-input" role="group" aria-label=${a}>
    <div class="row">
      ${a!=="Model and input"&&d`<b>${a}</b>`}
      <${st} label="Model" value=${c.name} options=${u} onChange=${m} />
      ${c.steps.length>0&&d`<${st} label="Training" value=${h?e.step:""}
        onChange=${$=>n({step:$===""?null:Number($)})}
        options=${[["","done"],...c.steps.map($=>[$,`step ${$.toLocaleString("en")}, recorded`])]} />`}
      ${!h&&c.takes!=="image"&&c.examples.length>1&&d`<${st} label="Try" value="" onChange=${$=>$&&n({text:$})}
        options=${[["","an example"],...c.examples.map($=>[$,$.replace(`
`," ").slice(0,40)])]} />`}
      ${l}
    </div>
    ${h||c.takes==="nothing"?null:c.takes==="image"?d`<${Eh} one=${c} value=${e} set=${n} pictures=${s}
      open=${o} place=${i} />`:d`<${Li} label=${c.takes==="letters"?"A string of a, b, c and d":c.takes==="pair"?"Source":"Text"}
        value=${e.text??c.examples[0]??""} onChange=${$=>n({text:$})} />`}
    ${!h&&c.takes==="pair"&&d`<${Li} label="Target (empty: what the model writes)" value=${e.target} onChange=${$=>n({target:$})} />`}
    <${Th} side=${r} />
    ${g&&d`<p>Reads ${c.takes==="image"?"the recorded image":d`<span class="maps-read">${Ch(g)}</span>, as it was recorded`}.</p>`}
    ${f&&!(g&&f==="as recorded")&&d`<p class="hint">${f}</p>`}
  </div>`}var Ah=250;function Li({label:t,value:e,onChange:n}){let s=Y(),[o,r]=j(null),a=D(0);B(()=>()=>clearTimeout(a.current),[]);let i=p=>(clearTimeout(a.current),p!==null&&p!==e&&n(p)),l=({target:p})=>{r(p.value),clearTimeout(a.current),a.current=setTimeout(()=>i(p.value),Ah)},c=o??e;return d`<div class="control maps-text"><label for=${s}>${t}</label>
    <textarea id=${s} rows=${Math.min(4,c.split(`
`).length)} spellcheck=${!1} maxlength="40000" value=${c} placeholder="type something: the maps follow"
      onInput=${l} onBlur=${()=>(i(o),r(null))}
      onKeyDown=${p=>p.key==="Enter"&&(p.ctrlKey||p.metaKey)&&i(o)}></textarea></div>`}function Th({side:{maps:t,isNow:e}}){let n=Math.max(0,...Object.values(t?.axes??{}).map(s=>s.length));return!e||!t?.context||n<=t.context?null:d`<p class="maps-warned" role="status">The model was made for up to ${t.context.toLocaleString("en")} tokens, and reads
    ${" "}${n.toLocaleString("en")}: what its heads do beyond was never trained.</p>`}function Eh({one:t,value:e,set:n,pictures:s,open:o,place:r}){let a=Y(),[i,l]=j(null),c=m=>{if(!m)return;if(m.size>Sh)return l(`a picture must have at most 8 MB: this has ${(m.size/2**20).toFixed(1)} MB`);l(null);let f=new FileReader;f.onload=()=>o(m.name.slice(0,60),f.result.slice(f.result.indexOf(",")+1)),f.onerror=()=>l("this file cannot be read"),f.readAsDataURL(m)},p=go(t,e.image),u=s.has(e.picture)?e.picture:"",h=m=>n({picture:"",image:go(t,m)});return d`<div class="row">
    <div class="control"><label for=${a}>Test image no.</label>
      <input id=${a} type="number" min="0" max=${t.images-1} value=${p} onChange=${m=>h(Number(m.target.value))} />
    </div>
    <span class="row maps-tight"><button onClick=${()=>h(p-1)} disabled=${p<=0} aria-label="Previous image">‹</button>
      <button onClick=${()=>h(p+1)} disabled=${p>=t.images-1} aria-label="Next image">›</button></span>
    <label class="maps-file"><input type="file" accept="image/png,image/jpeg,image/webp,image/gif,image/bmp"
      onChange=${m=>c(m.target.files[0])} />
      <span>${u?u.slice(0,28):"Open a picture …"}</span></label>
    ${u&&d`<button class="quiet" onClick=${()=>h(p)}>Use the test image</button>`}
    ${u&&r==="page"&&d`<p class="hint maps-line">A link does not include your picture; a saved HTML file does.</p>`}
    ${e.picture&&!u&&d`<p class="hint maps-line">${e.picture} is not available, because a link does not include pictures: open it again.
      Until then a test image is shown.</p>`}
    ${i&&d`<p class="error">${i}</p>`}
  </div>`}var Oh=8,xo=new WeakMap,Di=(t,e)=>new Map([...Object.entries(e??{}),...xo.get(t)??[]]);function ji(t,e,n){let s=xo.get(t)??new Map,o=e;for(let r=2;s.has(o)&&s.get(o)!==n;r++)o=`${e} (${r})`;return s.delete(o),xo.set(t,new Map([...s,[o,n]].slice(-Oh))),o}var wo=(t,e)=>Object.fromEntries(e.filter(n=>t.has(n)).map(n=>[n,t.get(n)]));var Wi={model:"",text:null,target:"",image:0,step:null,picture:""},Ph={...Wi,other:null,compare:"side",kind:"",layer:null,head:null,by:"",show:"",colour:"own",pin:null,near:null},Bi=512,Lh=6*2**20;function zh({ask:t,state:e,change:n,place:s}){let o=Q(t,"models",{}),r=o.response?.models??null,a=Di(t,e.pictures),i=typeof e.other=="object"&&e.other?{...Wi,...e.other}:null,l=qi(t,r,e,a),c=qi(t,r,i,a),p=Dh(l,c,e.kind),[u,h]=jh(p,e.layer,e.head),m=p?{...e,...qh(p.layers[u],e)}:e,f=Fi(t,l,p,u,h,m),g=Fi(t,c,p,u,h,m),$=D(null);if(o.error)return d`<${U} error=${o.error} />`;if(!r)return d`<${U} waiting=${o.waiting} />`;if(!r.length)return d`<p>There is no model with attention here. Name a folder: <code>regard explore FOLDER</code>.</p>`;let y=C=>"model"in C?{layer:null,head:null,by:""}:p?{layer:u,head:h}:{},w=C=>n({...C,...y(C),pin:null,near:null}),b=C=>n({other:{...i,...C},pin:null,near:null}),x=C=>n({other:C?Ri(Wn(r,e.model),e):null,near:null}),k=[e.picture,i?.picture],P=C=>(z,F)=>{let T=ji(t,z,F);s==="notebook"&&n({pictures:{...wo(a,k),[T]:F}}),C({picture:T})},M=s==="file",O=Ui(l,c),N=[l,c],v=[l,c].filter(C=>C.maps),E=d`<fieldset class="maps-held" disabled=${M}><${yt} label="Compare with a second text, model or checkpoint" value=${i!==null}
    onChange=${x} /></fieldset>`;return d`<div class=${`maps${i?" two":""}`} ref=${$}>
    <${I} class="maps-top">
      <fieldset class="maps-held maps-inputs" disabled=${M}>
        <${bo} title=${i?"First":"Model and input"} models=${r} value=${e} set=${w} pictures=${a}
          open=${P(w)} side=${l} place=${s} more=${i?null:E} />
        ${i&&d`<${bo} title="Second" models=${r} value=${i} set=${b} pictures=${a}
          open=${P(b)} side=${c} place=${s} />`}
      </fieldset>
      ${(i||M)&&d`<div class="row maps-nameless">
        ${i&&d`${E}<${it} label="How" value=${e.compare} options=${[["side","Side by side"],["difference","Difference"]]}
          onChange=${C=>n({compare:C})} />`}
        ${M&&d`<span class="hint">Saved file: run <code>regard explore</code> to change what is greyed out.</span>`}</div>`}
      <${U} error=${l.error??c.error} waiting=${l.waiting||c.waiting}>the model reads …<//>
    </${I}>
    ${p&&d`
      <${Fh} ask=${t} sides=${v} kind=${p} layer=${u} head=${h} state=${m}
        kinds=${O} change=${n} isFile=${M} />
      <${Oi} ask=${t} sides=${N} heads=${[f,g]} kind=${p} layer=${u} head=${h} state=${m} change=${n}
        differs=${Rh(l,c)} says=${N.map(C=>C.maps?vo(Ue(C.maps,p),u,h):"")} isFile=${M} isLarge=${Vi(p.layers[u])}
        actions=${d`<${ct} name=${`maps-layer-${u+1}-head-${h+1}`} of=${$} ask=${t} view="maps" place=${s}
          state=${{...e,pictures:wo(a,k)}}
          numbers=${()=>Hh([f,g],[l,c],p)} saves=${()=>Uh(v,p,u,h,m)} />`} />`}
  </div>`}function qi(t,e,n,s){let o=e&&n?zi(e,n,s):null,{response:r,error:a,waiting:i,of:l}=Q(t,"maps",o),c=o&&JSON.stringify(o),p=!!o&&l===c;return{request:o,isNow:p,maps:o&&(p||!a)?r:null,error:o?a:null,waiting:!!o&&i}}function Rh(t,e){let[n,s]=[t,e].map(o=>o.isNow?yo(o):null);return n!==null&&s!==null&&n!==s}function Fi(t,e,n,s,o,r){let a=e.maps?.kinds.find(l=>l.name===n?.name),i=a?.layers[s]&&o<a.layers[s].heads;return se(t,i?Hi(e.maps,a,s,o,r):null,e.request)}function Hi(t,e,n,s,{near:o,show:r}){let{rows:a,columns:i}=e.layers[n],l=Ki({rows:a,columns:i},o)??(r==="lines"&&Vi({rows:a,columns:i})?[0,0]:null),c=l?{rows:[l[0],l[0]+Pt],columns:[l[1],l[1]+Pt]}:{};return{key:t.key,kind:e.name,layer:n,head:s,...c,most:Bi}}var Ui=(t,e)=>t.maps?.kinds.filter(n=>!e.maps||e.maps.kinds.some(s=>s.name===n.name))??[];function Dh(t,e,n){let s=Ui(t,e),o=[t,e];return s.find(r=>r.name===n)??s.find(r=>r.name==="cross")??s[0]??null}var Ke=(t,e)=>Math.max(0,Math.min(e-1,Math.round(t)||0));function jh(t,e,n){if(!t)return[0,0];if(!Number.isFinite(e)&&!Number.isFinite(n))return t.telling;let s=Ke(e,t.layers.length);return[s,Ke(n,t.layers[s].heads)]}function qh({rows:t,columns:e},{pin:n,near:s}){let o=typeof n?.[1]=="number"?Ke(n[1],e):null;return{pin:Array.isArray(n)?[Ke(n[0],t),o]:null,near:Ki({rows:t,columns:e},s)}}var Ki=({rows:t,columns:e},n)=>Array.isArray(n)?[t,e].map((s,o)=>Ke(n[o],Math.max(1,s-Pt+1))):null,Vi=({rows:t,columns:e})=>Math.max(t,e)>Bi;function Fh({ask:t,sides:e,kind:n,kinds:s,layer:o,head:r,state:a,change:i,isFile:l}){let[c,p]=et(),u=[0,1].map(M=>Mi(t,e[M]?{key:e[M].maps.key,kind:n.name}:null,e[M]?.request)),h=l&&!e.every(({maps:M})=>Xi(Ue(M,n),a)),m=h?"head":l&&s.length>1?"kind":null,f=h?null:(M,O)=>i({layer:M,head:O}),[g,$]=u.map(M=>M.thumbs),y=e.length>1&&a.compare==="difference"&&g&&$&&Bh(g,$),w=`${n.layers.length} layers of heads, ${n.title}`,{patterns:b,order:x,isWeak:k}=Wh(n,a.by),P={colour:a.colour,layer:o,head:r,onChoose:f,width:Math.max(p,120),tags:n.layers.map(M=>M.tags),order:x,says:(M,O)=>vo(n,M,O)};return d`<${I} title="All heads" class="maps-all" >
    ${s.length>1&&d`<fieldset class="maps-held maps-nameless" disabled=${l}><${it} label="Kind" value=${n.name}
      options=${s.map(M=>[M.name,M.title])} onChange=${M=>i({kind:M,layer:null,head:null,by:"",pin:null,near:null})} /></fieldset>`}
    ${b.length>0&&d`<${st} label="Show" value=${x?a.by:""} onChange=${M=>i({by:M})}
      options=${[["","all: layer ↓, head →"],["Sorted by what they look at",b.map(([M,O])=>[M,`${M} (${O})`])]]} />`}
    ${k&&d`<p class="hint">No head puts clearly more there than even attention would: these put most.</p>`}
    <div ref=${c} class="maps-grids">
      ${g&&p>0&&d`<div>${e.length>1&&d`<h3>${y?"First minus second":"First"}</h3>`}
        <${fo} thumbs=${g} minus=${y?$:null} label=${w} ...${P} /></div>`}
      ${$&&p>0&&e.length>1&&!y&&d`<div><h3>Second</h3><${fo} thumbs=${$}
        label=${`${w}, second`} ...${P} order=${x?.filter(([M,O])=>$[M]?.[O])??null} tags=${Ue(e[1].maps,n).layers.map(M=>M.tags)}
        says=${(M,O)=>vo(Ue(e[1].maps,n),M,O)} /></div>`}
    </div>
    ${m&&d`<p class="hint">Saved with one ${m}: run <code>regard explore</code> for the others.</p>`}
    <${U} error=${u[0].error??u[1].error} />
    <${it} label="Colours" value=${a.colour} options=${[["own","own scale"],["one","0 to 1"]]} onChange=${M=>i({colour:M})} />
  </${I}>`}var Ih=8;function Wh({layers:t},e){let n=t.flatMap((i,l)=>Array.from({length:i.heads},(c,p)=>[l,p])),s=i=>n.filter(([l,c])=>t[l].tags[c].includes(i)),o=Object.keys(t[0].scores).map(i=>[i,s(i).length]);if(!o.some(([i])=>i===e))return{patterns:o,order:null,isWeak:!1};let r=i=>i.map(([l,c])=>[l,c,t[l].scores[e]?.[c]??0]).sort((l,c)=>c[2]-l[2]),a=r(s(e));return{patterns:o,order:a.length?a:r(n).slice(0,Ih),isWeak:!a.length}}var vo=({layers:t},e,n)=>t[e]?.tags[n]?.map(s=>`${s} ${Math.round(100*t[e].scores[s][n])} %`).join(", ")??"",Ii=t=>JSON.stringify(t.map(e=>e.map(({rows:n,columns:s})=>[n,s]))),Bh=(t,e)=>Ii(t)===Ii(e);function Hh(t,e,n){let s={};return t.forEach(({tile:o},r)=>{if(!o)return;let a=(i,[l,c])=>e[r].maps.axes[i]?.slice(l,c).filter((p,u)=>u%o.pool===0);s[r?"second":"weights"]={shape:o.shape,data:o.weights,rows:a(n.rows,o.rows),columns:a(n.columns,o.columns)}}),s}var Ue=(t,e)=>t.kinds.find(n=>n.name===e.name)??e,Xi=({layers:t},{near:e})=>!e&&t.reduce((n,s)=>n+4*s.heads*s.rows*s.columns,0)<=Lh;function Uh(t,e,n,s,o){let r=[["models",{}]];for(let{request:a,maps:i}of t){let l=Ue(i,e),c=l.layers.flatMap((p,u)=>Array.from({length:p.heads},(h,m)=>[u,m]));r.push(["maps",a],["overview",{key:i.key,kind:e.name}]),i.pictured&&r.push(["picture",{key:i.key}]),i.predicts&&r.push(["next",{model:a.model,text:a.text}]);for(let[p,u]of Xi(l,o)?c:[[n,s]])r.push(["tile",Hi(i,l,p,u,o)],["facts",{key:i.key,kind:e.name,layer:p,head:u}]);o.pin&&r.push(["tile",{key:i.key,kind:e.name,layer:n,head:s,rows:[o.pin[0],o.pin[0]+1],most:4096}])}return r}var Gi={name:"maps",title:"Maps",about:"What each head of a model looks at in your text or picture: point at a token to read its numbers.",state:Ph,View:zh};var Ji=[[1e18,"E"],[1e15,"P"],[1e12,"T"],[1e9,"G"],[1e6,"M"],[1e3,"k"],[1,""],[.001,"m"],[1e-6,"µ"],[1e-9,"n"]];function Kh(t,e){if(t==null)return"–";let n=Number(t.toPrecision(3));if(n===0)return`0 ${e}`;let[s,o]=Ji.find(([r])=>Math.abs(n)>=r*.9999999)??Ji.at(-1);return`${Number((n/s).toPrecision(3))} ${o}${e}`}var bt={flops:{name:"FLOPs",unit:"FLOP",axis:"FLOPs",about:"work of matrix products, two per multiply-add"},bytes:{name:"Bytes moved",unit:"B",axis:"bytes moved",about:"what must cross the memory bus"},memory:{name:"Memory",unit:"B",axis:"bytes at the peak",about:"the peak beyond the inputs"},seconds:{name:"Time",unit:"s",axis:"microseconds, predicted",times:1e6,about:"predicted for the machine chosen"}},V=t=>t.toLocaleString("en"),Bn=(t,e)=>`${Number((100*t/e).toPrecision(3))} %`;function _o({claim:t,place:e}){return!t||e!=="page"?null:d` (<a href=${`#claims?${encodeURIComponent(JSON.stringify({claim:t}))}`}>${t}</a>)`}function Bt({label:t,value:e,values:n,onChange:s,says:o=V}){let r=n.reduce((a,i,l)=>Math.abs(Math.log(i/e))<Math.abs(Math.log(n[a]/e))?l:a,0);return d`<${at} label=${t} value=${r} min=${0} max=${n.length-1} step=${1}
    onChange=${a=>s(n[a])} says=${a=>o(a===r?e:n[a])} />`}function ko(t,e){let n=[];for(let s=t;s<=e;s*=2)n.push(...s*1.5<=e?[s,s*1.5]:[s]);return n}var Ve=["flops","bytes","memory","seconds"];function Qi({found:t,saving:e}){let n=D(null),s=t.response,o=s?.candidates.filter(l=>l.refusal===null)??[],r=s?.candidates.filter(l=>l.refusal!==null)??[],i=s&&d`<${ct} name="plan" of=${n} numbers=${()=>{let l=o.flatMap(c=>Ve.map(p=>c[p]));return{plan:{shape:[o.length,Ve.length],data:l,rows:o.map(c=>c.name),columns:Ve}}}} ...${e} />`;return d`<${I} title="The plan" actions=${i}>
    <${U} error=${t.error} waiting=${!s&&t.waiting} />
    ${s&&d`<div ref=${n}>
      <p class="patterns-headline"><b data-chosen=${s.chosen}>${s.chosen}</b> is the fastest exact way here.${Xh(s)}</p>
      <p class="patterns-value">${s.value.replace("Content(beta=None)","Content()")}</p>
      <p class="note">${Object.entries(s.shape).map(([l,c])=>`${l} = ${V(c)}`).join(" · ")} · ${s.dtype} · ${s.device}</p>
      <p class="note">Times by the table ${s.device}: ${s.basis}.</p>
      <div class="scrolls" tabindex="0" role="region" aria-label="Algorithms and their costs"><table class="lines patterns-plan">
        <thead><tr><th>algorithm</th>
          ${Ve.map(l=>d`<th class="number" title=${bt[l].about}>${bt[l].name}</th>`)}</tr></thead>
        <tbody>
          ${o.map(l=>d`<tr class=${l.name===s.chosen?"patterns-chosen":""}>
            <th scope="row">${l.name}${l.name===s.chosen&&d` <span class="badge">chosen</span>`}</th>
            <${Yi} one=${l} />
          </tr>`)}
          <tr class="patterns-full"><th scope="row">full attention, ${s.full.name}</th>
            <${Yi} one=${{...s.full,name:"full"}} /></tr>
        </tbody>
      </table></div>
      ${r.length>0&&d`<details class="patterns-refused"><summary>${r.length} other algorithms would not be exact here, or cannot run</summary>
        <dl>${r.map(l=>d`<dt>${l.name}</dt><dd data-refusal=${l.name}>${l.refusal}</dd>`)}</dl></details>`}
    </div>`}
  <//>`}function Yi({one:t}){return Ve.map(e=>d`<td class="number" data-cost=${`${t.name} ${e}`} title=${Vh(t[e],e)}>
    ${Kh(t[e],bt[e].unit)}</td>`)}var Vh=(t,e)=>e==="seconds"?`${t} s`:`${V(t)} ${bt[e].unit}`;function Xh(t){let[e]=t.candidates,n=(o,r)=>{let a=Number((t.full[o]/e[o]).toPrecision(2));return Number.isFinite(a)&&a!==1?[`${a} times the ${r}`]:[]},s=[...n("flops","FLOPs"),...n("memory","memory"),...n("seconds","predicted time")];return s.length?` Full attention takes ${s.join(", ").replace(/, ([^,]*)$/," and $1")}.`:""}var Zi=["①","②","③","④"],Gh=t=>Math.abs(t)>=1e7?En(t):L(t);function tl({found:t,request:e,quantity:n,compare:s,change:o,saving:r,place:a}){let i=D(null),l=t.response,c=l?Jh(l,n,s):[],p=l&&s==="full"?Qh(l,n):[],h=l&&d`<${ct} name="growth" of=${i} numbers=${()=>{let m=$=>Object.keys(bt).map(y=>({name:`${$.name}, ${y}`,data:$[y]})),f=l.curves.flatMap(m).filter($=>$.data.some(y=>y!==null)),g=l.tokens.flatMap(($,y)=>f.map(w=>w.data[y]));return{growth:{shape:[l.tokens.length,f.length],data:g,rows:l.tokens,columns:f.map($=>$.name)}}}} ...${r} />`;return d`<${I} title="How the cost grows" actions=${h}>
    <div class="row patterns-choices">
      <${it} label="Show" value=${n} options=${Object.entries(bt).map(([m,f])=>[m,f.name])}
        onChange=${m=>o({quantity:m})} />
      <${it} label="of" value=${s} options=${[["full","the mechanism and full attention"],["algorithms","each algorithm"]]}
        onChange=${m=>o({compare:m})} />
    </div>
    <${U} error=${t.error} waiting=${!l&&t.waiting} />
    ${l&&d`<div ref=${i}>
      <p class="patterns-axis">${bt[n].axis} <span aria-hidden="true">↑</span></p>
      <${Tt} series=${c} label=${`${bt[n].name} against the number of tokens`} yLabel="" logX logY height=${300}
        xLabel=${l.sides?"tokens N, on square grids":"tokens N"} says=${Gh} marks=${Yh(p)} />
      ${p.length>0&&d`<ol class="patterns-crossings">
        ${p.map((m,f)=>d`<li><span aria-hidden="true">${Zi[f]}</span><span><${td} one=${m} request=${e} place=${a} /></span></li>`)}
      </ol>`}
      <p class="note"><${ed} curves=${c} />${s==="full"?` ${nd(l)}`:""}</p>
    </div>`}
  <//>`}function Jh(t,e,n){let s=n==="full"?["ours","full","projections"]:["algorithm"],o=bt[e].times??1,r=a=>a.map(i=>i===null?NaN:i*o);return t.curves.filter(a=>s.includes(a.kind)&&a[e].some(i=>i>0)).map(a=>({name:a.name,x:t.tokens,y:r(a[e]),exponent:a.exponent[e]}))}function Yh(t){let e=new Map;return t.forEach((n,s)=>e.set(n.tokens,`${e.get(n.tokens)??""}${Zi[s]}`)),[...e].map(([n,s])=>({x:n,name:s}))}function Qh(t,e){let n=t.crossings.filter(o=>o.quantity===e&&(o.more||o.right!=="projections")),s=!n.some(o=>o.left==="this mechanism"&&o.right==="full attention")&&Zh(t,e);return n.filter(o=>!(s&&o.left==="this mechanism")).sort((o,r)=>o.tokens-r.tokens)}function Zh(t,e){let[n,s]=["ours","full"].map(o=>t.curves.find(r=>r.kind===o)[e]);return n.every((o,r)=>o===s[r])}function td({one:t,request:e,place:n}){let s={flops:"costs",seconds:"takes"}[t.quantity]??"needs",o=t.right==="projections"?"eecs.2d":["softmax","hard"].includes(e.weighting)?"udl.8":"udl.10",r=t.right==="projections"?"the projections of q, k, v and the output":t.right,a=t.right==="projections"&&t.tokens===2*e.heads*e.width?": twice the width of all heads together":"",i=`on ${t.left} ${s} ${t.more?"at least as much as":"less than"} ${r}${a}`;return d`From ${t.exact?"":"about "}<b data-crossing=${`${t.left} ${t.right}`}>N = ${V(t.tokens)}</b> ${i}<${_o} claim=${o} place=${n} />.`}function ed({curves:t}){let e=t.filter(n=>n.exponent!==null);return e.length?d`At the end they grow as ${e.map((n,s)=>d`${s?", ":""}N<sup>${n.exponent.toFixed(2)}</sup> (${n.name})`)}.`:null}function nd(t){let n=t.chosen.map((s,o)=>[s,t.tokens[o]]).filter(([s],o)=>s&&s!==t.chosen[o-1]).map(([s,o],r)=>r?`${s} from ${V(o)}`:s).join(", ");return`${n&&`Chosen: ${n}. `}Up to ${V(t.tokens.at(-1))} tokens are compared.`}var Hn=[0,.1,.36],sd=512,od="Point at the map, or use the arrow keys.",rd=" Press Enter to follow that query through the layers below.";function el({found:t,request:e,output:n,onChoose:s,saving:o}){let r=D(null),{header:a,levels:i}=G(()=>id(t.response),[t.response]),c=a&&d`<${ct} name="mask" of=${r} numbers=${()=>({mask:{shape:[a.rows,a.columns],data:i}})} ...${o} />`;return d`<${I} title="Who sees whom" actions=${c}>
    <${U} error=${t.error} waiting=${!a&&t.waiting} />
    ${a&&d`<${ad} header=${a} levels=${i} request=${e} output=${n} picture=${r}
      onChoose=${o.place==="file"?null:s} />`}
  <//>`}function ad({header:t,levels:e,request:n,output:s,onChoose:o,picture:r}){ht();let[a,i]=et(),[l,c]=j(null),p=G(()=>Float32Array.from(e,m=>Hn[m]),[e]),u=s!==null&&s<t.tokens?Math.floor(s/t.cell):null,h=(m,f)=>pd(t,e,m,f,n.grid);return d`<div class="patterns-map" ref=${a}>
    <div ref=${r} class="patterns-pictured">
      <p class="patterns-axis">queries <span aria-hidden="true">↓</span> keys <span aria-hidden="true">→</span></p>
      ${i>0&&d`<div class="patterns-framed">
        ${u!==null&&d`<span class="patterns-followed" style=${{top:`${100*(u+.5)/t.rows}%`}} aria-hidden="true"></span>`}
        <${Nt} data=${p} rows=${t.rows} columns=${t.columns} side=${ld(t,i)}
          label=${`Mask of ${n.mask}: queries down, keys across`} chosen=${u===null?null:[u,u]}
          onChoose=${o&&(m=>o(Math.min(m*t.cell+Math.floor(t.cell/2),t.tokens-1)))}
          onPoint=${(m,f)=>c(m===null?null:[m,f])} says=${h} /></div>`}
      <ul class="patterns-shades" aria-label="Colours">
        <li><${So} shade=${Hn[2]} />visible</li>
        ${t.cell>1&&d`<li><${So} shade=${Hn[1]} />${t.is_exact?"in part":"in part, or hidden"}</li>`}
        <li><${So} shade=${Hn[0]} />hidden</li>
        ${t.cell>1&&d`<li>a cell is ${t.cell} × ${t.cell} pairs</li>`}
      </ul>
    </div>
    <div class="patterns-facts">
      <dl>
        <${Mo} name="visible pairs" count="visible" value=${V(t.visible)} note=${`of ${V(t.pairs)}, ${Bn(t.visible,t.pairs)}`} />
        <${Mo} name="keys that a query sees" count="most" value=${nl(Math.min(...t.fewest),Math.max(...t.most))}
          note=${`${V(Math.round(t.visible/t.tokens*10)/10)} on average`} />
        <${Mo} name=${`blocks of ${t.block} × ${t.block} that a kernel visits`} count="visited" value=${V(t.visited)}
          note=${`of ${V(t.blocks)}; they hold ${V(t.visited_pairs)} pairs`} />
      </dl>
      <p class="patterns-point" aria-hidden="true">${l?h(...l):d`<span class="hint">${od}${o&&rd}</span>`}</p>
      ${t.batch&&d`<p class="hint">The first of ${t.batch} rows of a padded batch.</p>`}
    </div>
  </div>`}var Mo=({name:t,count:e,value:n,note:s})=>d`<div><dt>${t}</dt><dd><b data-count=${e}>${n}</b><small>${s}</small></dd></div>`;function id(t){if(!t)return{header:null,levels:null};let{header:e,data:n,offset:s}=t;return{header:e,levels:new Uint8Array(n,s,e.rows*e.columns)}}function ld(t,e){let n=Math.min(sd,e);return t.rows>40?t.rows*Math.max(1,Math.floor(n/t.rows)):n}var nl=(t,e)=>t===e?V(t):`${V(t)} to ${V(e)}`,cd=["hidden","visible in part","visible"];function pd(t,e,n,s,o){let r=c=>{let[p,u]=[c*t.cell,Math.min((c+1)*t.cell,t.tokens)-1];return o&&t.cell===1?`(${Math.floor(p/o[1])}, ${p%o[1]})`:p===u?V(p):`${V(p)}–${V(u)}`},[a,i]=t.cell===1?["query","sees"]:["queries","see"],l=t.cell===1||t.fewest[n]===1?"":" each";return`${a} ${r(n)}, ${t.cell===1?"key":"keys"} ${r(s)}: ${cd[e[n*t.columns+s]]}. The ${a} ${i} ${nl(t.fewest[n],t.most[n])} ${t.most[n]===1?"key":"keys"}${l}.`}function So({shade:t}){return d`<span class="patterns-swatch" style=${{background:Dt(t,"weight",1)}} aria-hidden="true"></span>`}var ud=450,hd="A token reaches an output if its value can get there through the layers, whatever the weights.",Un=t=>`${t} ${t===1?"layer":"layers"}`;function sl({found:t,state:e,change:n,clipped:s,saving:o}){let r=D(null),[a,i]=j(!1),{header:l,first:c}=G(()=>dd(t.response),[t.response]),p=l?.depths.length??e.layers,u=Math.min(e.depth??p,p);B(()=>{if(!a)return;if(u>=p)return i(!1);let y=setTimeout(()=>n({depth:u+1}),ud);return()=>clearTimeout(y)},[a,u,p]);let h=()=>a?i(!1):(n({depth:u>=p?1:u}),i(!0)),m=()=>{let y=["fewest","mean","most","here","formula","convolution"],w=l.depths.flatMap(b=>y.map(x=>b[x]));return{reach:{shape:[p,y.length],data:w,rows:l.depths.map(b=>b.layers),columns:y}}},{place:f}=o,g=f==="file"?null:y=>n({output:y}),$=l&&d`<${ct} name="reach" of=${r} numbers=${m} ...${o} />`;return d`<${I} title="How far layers reach" actions=${$} note=${hd}>
    <div class="row patterns-choices">
      <${jt} place=${f} noted=${!1}><${at} label="Layers" value=${e.layers} min=${1} max=${32} step=${1} says=${V}
        onChange=${y=>n({layers:y,depth:null})} /><//>
      <${at} label="Show after" value=${u} min=${1} max=${p} step=${1} says=${Un}
        onChange=${y=>(i(!1),n({depth:y}))} />
      ${!qt()&&d`<button onClick=${h} title="Layer by layer">${a?"■ Stop":"▶ Play"}</button>`}
      <${jt} place=${f} noted=${!1}><${yt} label="residual connections" value=${e.residual}
        onChange=${y=>n({residual:y})} /><//>
    </div>
    <${Jt} place=${f} what="change the layers, or follow another token" />
    <${U} error=${t.error} waiting=${!l&&t.waiting} />
    ${l&&d`<div ref=${r} class="patterns-reach">
      <p class="patterns-headline" aria-live="polite"><${md} header=${l} depth=${u} /></p>
      ${l.sides.length===2?d`<${fd} header=${l} first=${c} depth=${u} onChoose=${g} />`:d`<${$d} header=${l} first=${c} depth=${u} onChoose=${g} />`}
      <${xd} header=${l} depth=${u} />
    </div>
    ${s&&d`<p class="hint">Computed for ${l.sides.map(V).join(" × ")} tokens; with more tokens it grows in the same way.</p>`}`}
  <//>`}function dd(t){if(!t)return{header:null,first:null};let{header:e,data:n,offset:s}=t,o=new Uint8Array(n,s,e.depths.length*e.tokens);return{header:e,first:{reached:o,count:e.tokens}}}var No=(t,e)=>e===1?.36:(.72-.5*((t-1)/(e-1)))**2;function md({header:t,depth:e}){let n=t.depths[e-1],s=t.sides.length===2?`pixel (${Math.floor(t.output/t.sides[1])}, ${t.output%t.sides[1]})`:`token ${V(t.output)}`,r=`${n.here===t.tokens?"all":`${V(n.here)} of`} ${V(t.tokens)} ${t.sides.length===2?"pixels":"tokens"}`,a=n.here===t.tokens?"":` (${Bn(n.here,t.tokens)})`,i=t.settled!==null&&t.settled<=e&&n.here<t.tokens;return d`After ${Un(e)} <b data-reached=${n.here}>${r}</b> reach ${s}${a}.${i&&" More layers of this mask reach nothing further."}`}function fd({header:t,first:e,depth:n,onChoose:s}){let[o,r]=t.sides,[a,i]=et(),l=G(()=>{let p=new Float32Array(t.tokens);for(let u=n;u>=1;u--)for(let h=0;h<t.tokens;h++)e.reached[(u-1)*t.tokens+h]&&(p[h]=No(u,t.depths.length));return p},[e,n]),c=(p,u)=>{let h=t.depths.findIndex((m,f)=>e.reached[f*t.tokens+p*r+u]);return`pixel (${p}, ${u}): ${h<0?"never reaches the output":`reaches it from layer ${h+1} on`}`};return d`<div class="patterns-field" ref=${a}>
    ${i>0&&d`<${Nt} data=${l} rows=${o} columns=${r} side=${Math.min(360,i)}
      label=${`Pixels that reach the output after ${Un(n)}${s?"; Enter follows another":""}`}
      chosen=${[Math.floor(t.output/r),t.output%r]} onChoose=${s&&((p,u)=>s(p*r+u))} says=${c} />`}
    <${gd} header=${t} />
    ${s&&d`<p class="hint">Choose another pixel to follow.</p>`}
  </div>`}function $d({header:t,first:e,depth:n,onChoose:s}){let o=ht(),r=D(null),[a,i]=et(),l=t.depths.length;pt(()=>{if(!i)return;let u=new Float32Array((l+1)*t.tokens);u[t.output]=1;for(let m=1;m<=n;m++){let f=No(m,l);for(let g=0;g<t.tokens;g++)e.reached[(m-1)*t.tokens+g]&&(u[m*t.tokens+g]=f)}let h=Math.max(64,Math.min(t.tokens,Math.floor(i)));Ln(r.current,u,l+1,t.tokens,"weight",1,h)},[t,e,n,i,o]);let c=u=>{let h=u.currentTarget.getBoundingClientRect();s(Math.max(0,Math.min(t.tokens-1,Math.floor((u.clientX-h.left)/h.width*t.tokens))))},p=Math.min(44,Math.max(8,300/(l+1)))*(l+1);return d`<div class="patterns-cone">
    <div class="patterns-rows" style=${{height:`${p}px`}} aria-hidden="true"><span>output</span><span>${Un(l)}</span></div>
    <div ref=${a}><canvas ref=${r} role="img" style=${{height:`${p}px`}} onClick=${s&&c}
      aria-label=${`Tokens that reach output ${t.output}, a row for each layer: ${t.depths.slice(0,n).map(u=>u.here).join(", ")}`}></canvas>
      <p class="patterns-ends"><span>token 0</span><span>token ${V(t.tokens-1)}</span></p></div>
    <div class="patterns-output">
      <${at} label="Follow token" value=${t.output} min=${0} max=${t.tokens-1} step=${1} disabled=${!s}
        onChange=${s} says=${V} />
    </div>
  </div>`}function gd({header:t}){ht();let e=t.depths.length,n=s=>Dt(No(s,e),"weight",1);return d`<div class="legend"><span>layer 1</span>
    <span class="patterns-scale" aria-hidden="true">${t.depths.map(s=>d`<i style=${{background:n(s.layers)}}></i>`)}</span>
    <span>layer ${e}</span></div>`}function xd({header:t,depth:e}){let n=t.depths.map(i=>i.layers),s=i=>t.depths.map(l=>l[i]??NaN),o=[{name:"reach this output",x:n,y:s("here")}];t.formula!==null&&o.push({name:"by the formula",x:n,y:s("formula")}),o.push({name:"mean of all outputs",x:n,y:s("mean"),class:"curve-4"});let r=t.depths.every(i=>i.convolution===i.here),a=`${t.taps.join(" × ")} taps`;return r||o.push({name:`convolutions, ${a}`,x:n,y:s("convolution"),class:"curve-5"}),d`<div class="patterns-growing">
    <${Tt} series=${o} label="Tokens that reach the output, against the number of layers" xLabel="layers" yLabel="tokens"
      height=${250} yMin=${0} marks=${n.length>1?[{x:e,name:""}]:[]} says=${L} />
    <p class="note">${t.formula!==null?d`Formula: <code data-formula>${t.formula}</code> tokens (${t.legend}).`:"No closed form is known here; the counts come from the composed masks."}${r&&` Convolutions with ${a} reach as many.`}</p>
  </div>`}var Co=["content","content + slopes","content + gaussian","content + table","gaussian","diagonal_gaussian","full_gaussian","table"],Ao=[["softmax","softmax"],["hard","hard, one-hot"],["elu","linear, elu"],["relu","linear, relu"],["squared_relu","linear, squared relu"],["exp","linear, exp"],["random_features(64)","linear, 64 random features"]],al={cpu:"a CPU",h200:"NVIDIA H200",a100:"NVIDIA A100",h100:"NVIDIA H100",b200:"NVIDIA B200",l40s:"NVIDIA L40S",t4:"NVIDIA T4",cuda:"any CUDA GPU",other:"another device"},il=[["","default type"],["bfloat16","bfloat16"],["float16","float16"],["float32","float32"],["float64","float64"]],yd=ko(16,131072),ol=ko(4,128),rl=[1,2,4,8,16,32,64],To=4096,be={mask:"causal & window(256)",second:"",scores:"content",weighting:"softmax",tokens:4096,grid:null,batch:1,heads:16,width:64,device:"h200",dtype:"",backward:!1,block:128,shown:0,quantity:"flops",compare:"full",layers:12,depth:null,residual:!0,output:null};function bd(t){let e=s=>t[s].slice(0,300),n=(s,o,r)=>ae(t[s],o,r,be[s]);return{...t,mask:e("mask"),second:e("second"),scores:e("scores"),weighting:e("weighting"),tokens:n("tokens",1,131072),grid:mn(t.grid,1,256),batch:n("batch",1,4096),heads:n("heads",1,256),width:n("width",1,1024),block:n("block",1,4096),layers:n("layers",1,64),depth:n("depth",1,64),output:n("output",0,131071),shown:n("shown",0,1),device:Ae(t.device,Object.keys(al),be.device),dtype:Ae(t.dtype,il.map(([s])=>s),be.dtype),quantity:Ae(t.quantity,Object.keys(bt),be.quantity),compare:Ae(t.compare,["full","algorithms"],be.compare)}}function wd({ask:t,state:e,change:n,place:s}){let o=bd(e),r=Q(t,"presets",{}),a=vd(o),i=vt(t,"mechanism",a.mechanism),l=vt(t,"mechanism",a.second),c={...i.response?.wrong,...a.second&&l.response?.wrong.mask?{second:l.response.wrong.mask}:{}},p=i.of===JSON.stringify(a.mechanism)&&(!a.second||l.of===JSON.stringify(a.second)),u=D(null);p&&Object.keys(c).length===0&&(u.current=_d(o,a));let h=u.current,m=vt(t,"pattern",h?.pattern),f=vt(t,"plan",h?.plan),g=vt(t,"reach",h?.reach),$=Q(t,"growth",h?.growth),w={saves:()=>[["presets",{}],["mechanism",a.mechanism],...a.second?[["mechanism",a.second]]:[],...Object.entries(h)],ask:t,view:"patterns",state:o,place:s},b=g.response?.header.output??null;return d`<div class="sided patterns">
    <${jt} class="patterns-left" place=${s}>
      <${Md} known=${r} state=${o} change=${n} wrong=${c} place=${s} />
      <${Nd} devices=${r.response?.devices??[o.device]} state=${o} change=${n} />
    <//>
    <div class="patterns-right" aria-busy=${String(!p)}>
      ${a.second&&d`<${jt} class="patterns-turns" place=${s} noted=${!1}><${it} label="Mask, plan and cost of" value=${o.shown}
        options=${[[0,"the first layer"],[1,"every other layer"]]} onChange=${x=>n({shown:x})} /><//>`}
      ${h===null&&Object.keys(c).length>0&&d`<p class="note">Nothing to draw yet: the text on the left is not a mechanism.</p>`}
      <${el} found=${m} request=${h?.pattern} output=${b} onChoose=${x=>n({output:x})} saving=${w} />
      <${Qi} found=${f} saving=${w} />
      <${tl} found=${$} request=${a.mechanism} quantity=${o.quantity} compare=${o.compare}
        change=${n} saving=${w} place=${s} />
      <${sl} found=${g} state=${o} change=${n} clipped=${h!==null&&kd(o)} saving=${w} />
    </div>
  </div>`}function vd({mask:t,second:e,shown:n,scores:s,weighting:o,tokens:r,grid:a,batch:i,heads:l,width:c,device:p,dtype:u,backward:h}){let m={scores:s,weighting:o,tokens:r,grid:a,batch:i,heads:l,width:c,device:p,dtype:u||null,backward:h},f=e.trim()!=="";return{mechanism:{mask:f&&n?e:t,...m},second:f?{mask:n?t:e,...m}:null,masks:f?[t,e]:[t]}}function _d(t,{mechanism:e,masks:n}){let{tokens:s,...o}=e,r=ll(t),a=r.grid?r.grid[0]*r.grid[1]:r.tokens,i=t.output!==null&&t.output<a?t.output:null;return{pattern:{mask:e.mask,tokens:s,grid:t.grid,block:t.block},plan:e,growth:{...o,grid:t.grid&&[1,1]},reach:{masks:n.slice(0,t.layers),...r,layers:t.layers,residual:t.residual,output:i}}}var ll=({tokens:t,grid:e})=>e&&e[0]*e[1]>To?{tokens:t,grid:e.map(n=>Math.min(n,Math.sqrt(To)))}:{tokens:e?t:Math.min(t,To),grid:e},kd=t=>JSON.stringify(ll(t))!==JSON.stringify({tokens:t.tokens,grid:t.grid});function Md({known:t,state:e,change:n,wrong:s,place:o}){let r=Y(),a=t.response?.presets??[],i=h=>["mask","second","scores","weighting"].every(m=>h[m]===e[m])&&!!h.grid==!!e.grid,l=a.find(i),c=({mask:h,second:m,scores:f,weighting:g,tokens:$,grid:y,layers:w})=>n({mask:h,second:m,scores:f,weighting:g,tokens:$,grid:y,layers:w,depth:null,output:null,shown:0}),p=G(()=>(Co.includes(e.scores)?Co:[...Co,e.scores]).map(h=>[h,h]),[e.scores]),u=Ao.some(([h])=>h===e.weighting)?Ao:[...Ao,[e.weighting,e.weighting]];return d`<${I} title="Mechanism">
    <${U} error=${t.error} waiting=${!t.response&&t.waiting} />
    <fieldset class="patterns-presets"><legend class="unseen">Start from</legend>
      ${a.map(h=>d`<label><input type="radio" name=${r} value=${h.name} checked=${h===l} onChange=${()=>c(h)} />
        <span>${h.title}</span></label>`)}
    </fieldset>
    <p class="note patterns-says">${l?l.says:"Your own."}<${_o} claim=${l?.claim} place=${o} /></p>
    <div class="stack">
      <div class="patterns-written">
        <div><${Ot} label="Mask: who may see whom" live value=${e.mask} max=${300} onChange=${h=>n({mask:h})} />
          <${Kn} text=${s.mask} /></div>
        <div><${Ot} label="Mask of every other layer, if it differs" live value=${e.second} max=${300}
          onChange=${h=>n({second:h,shown:h.trim()?e.shown:0})} /><${Kn} text=${s.second} /></div>
        <${Sd} words=${t.response?.words??[]} />
      </div>
      <div><${st} label="Scores" value=${e.scores} options=${p} onChange=${h=>n({scores:h})} />
        <${Kn} text=${s.scores} /></div>
      <div><${st} label="Weights" value=${e.weighting} options=${u} onChange=${h=>n({weighting:h})} />
        <${Kn} text=${s.weighting} /></div>
    </div>
  <//>`}var Kn=({text:t})=>d`<div role="status" aria-live="polite">${t&&d`<p class="error patterns-wrong">${t}</p>`}</div>`;function Sd({words:t}){return d`<details class="patterns-words"><summary>How to write a mask</summary>
    <p>Names, joined by <code>&</code> (both), <code>|</code> (either), <code>~</code> (not) and parentheses:</p>
    <ul>${t.map(e=>d`<li><code>${e}</code></li>`)}</ul>
    <p>Example: <code>causal & (window(16) | strided(64))</code>. Neighbours, tiles, rows, columns and axial need a grid.</p>
  </details>`}function Nd({devices:t,state:e,change:n}){let{grid:s}=e,o=r=>a=>n({grid:s.map((i,l)=>l===r?a:i),output:null});return d`<${I} title="Sizes and machine">
    <div class="stack patterns-sizes">
      <${yt} label="tokens on a grid" value=${s!==null} onChange=${r=>n({grid:r?[64,64]:null,output:null})} />
      ${s?d`<${Bt} label="Rows" value=${s[0]} values=${ol} onChange=${o(0)} />
          <${Bt} label="Columns" value=${s[1]} values=${ol} onChange=${o(1)} />`:d`<${Bt} label="Tokens N" value=${e.tokens} values=${yd} onChange=${r=>n({tokens:r,output:null})} />`}
      <${Bt} label="Heads" value=${e.heads} values=${rl} onChange=${r=>n({heads:r})} />
      <${Bt} label="Head width" value=${e.width} values=${[8,16,32,48,64,80,96,128,192,256]} onChange=${r=>n({width:r})} />
      <${Bt} label="Batch" value=${e.batch} values=${rl} onChange=${r=>n({batch:r})} />
      <${Bt} label="Kernel block" value=${e.block} values=${[16,32,64,128,256]} onChange=${r=>n({block:r})} />
      <${st} label="Machine" value=${e.device} options=${t.map(r=>[r,al[r]??r])}
        onChange=${r=>n({device:r})} />
      <${st} label="Numbers" value=${e.dtype} options=${il} onChange=${r=>n({dtype:r})} />
      <${yt} label="include the backward pass" value=${e.backward} onChange=${r=>n({backward:r})} />
    </div>
  <//>`}var cl={name:"patterns",title:"Patterns and cost",about:"Choose who may see whom. See the mask, the fastest exact algorithm, its cost as sequences grow, and how far stacked layers reach.",state:be,View:wd};function Lt({label:t,values:e,scale:n,limit:s,rowNames:o,columnNames:r,moved:a,chosen:i,onRow:l,digits:c=3,fixed:p=null}){ht();let u=s??Math.max(1e-12,...e.flat().map(m=>Math.abs(m??0))),h=m=>m===null?"−∞":p===null||Math.abs(m)>=1e3?L(m,c):m.toFixed(p).replace("-","−");return d`<div class="scrolls"><table class="matrix">
    <caption class="unseen">${t}</caption>
    ${r&&d`<thead><tr>${o&&d`<td></td>`}${r.map(m=>d`<th scope="col"><span class="word" title=${m}>${m}</span></th>`)}</tr></thead>`}
    <tbody>${e.map((m,f)=>d`<tr class=${i===f?"chosen":""}>
        ${o&&d`<th scope="row">${l?d`<button class="quiet word" aria-pressed=${String(i===f)} title=${o[f]} onClick=${()=>l(f)}>${o[f]}</button>`:d`<span class="word" title=${o[f]}>${o[f]}</span>`}</th>`}
        ${m.map((g,$)=>d`<td><span class=${`value${a?a[f][$]?" moved":" still":""}`} title=${g===null?"hidden":String(g)}
            style=${n&&g!==null?{background:Dt(g,n,u),color:dr(g,n,u)}:null}>${h(g)}</span></td>`)}
      </tr>`)}</tbody>
  </table></div>`}function Xe({label:t,values:e,rowNames:n,chosen:s,onChange:o,onName:r,onRemoveRow:a,step:i=.1}){let l=(p,u,h)=>o(e.map((m,f)=>f===p?m.map((g,$)=>$===u?h:g):m)),c=(p,u)=>{let h=p.currentTarget.closest("table");a(u),requestAnimationFrame(()=>(h.querySelectorAll("button")[Math.min(u,e.length-2)]??h.querySelector("input"))?.focus())};return d`<div class="scrolls"><table class="matrix">
    <caption class="unseen">${t}</caption>
    <tbody>${e.map((p,u)=>d`<tr class=${s===u?"chosen":""}>
        ${n&&d`<th scope="row"><input class="name" type="text" maxlength="40" spellcheck=${!1} aria-label=${`name of token ${u+1}`}
          value=${n[u]} onChange=${h=>r(u,h.target.value)} /></th>`}
        ${p.map((h,m)=>d`<td><${$e} label=${`${t}, row ${u+1}, column ${m+1}`} value=${h} step=${i} onChange=${f=>l(u,m,f)} /></td>`)}
        ${a&&d`<td><button class="quiet" aria-label=${`remove ${n?.[u]??`row ${u+1}`}`} title="remove" onClick=${h=>c(h,u)}>×</button></td>`}
      </tr>`)}</tbody>
  </table></div>`}function pl({state:t,change:e,problem:n,names:s,edit:o,isSaved:r}){let a=hl(n.x[0].length,t.axes),i=n.x.map((c,p)=>({id:`x${p}`,...a.at(c),name:s[p],kind:"token"}));return d`<${I} title="Tokens in the plane" note="Drag a token: its query, key and value follow.">
    <${dl} axes=${a} change=${e} />
    <${ml} label="the tokens" points=${i} onMove=${r?()=>{}:(c,p,u)=>o({x:n.x.map((h,m)=>`x${m}`===c?a.put(h,p,u):h)})} xLabel=${`coordinate ${a.a+1}`}
      yLabel=${`coordinate ${a.b+1}`} height=${240} />
  <//>`}function ul({state:t,change:e,found:n,shown:s,names:o,isSaved:r}){let a=s.head,i=hl(n.q[a][0].length,t.axes),l=(u,h,m)=>s.noise?.on===u&&s.noise.index===h?m.map((f,g)=>f+s.noise.noise[g]):m,c=(u,h)=>h.map((m,f)=>{let g=l(u,f,m);return{id:`${u} ${f}`,...i.at(g),name:`${u} of ${o[f]}`,tag:`${u[0]} ${o[f]}`,kind:u,from:g===m?null:[m[i.a],m[i.b]]}}),p=(u,h,m)=>{let[f,g]=u.split(" "),$=n[f==="key"?"k":"q"][a][g],y=i.put($,h,m).map((w,b)=>Number((w-$[b]).toFixed(6)));e({noise:{on:f,index:Number(g),noise:y},hard:!1})};return d`<${I} title="Noise on a query or a key" note="Drag a key (square) or a query (circle): this adds noise to it alone, and what changes is marked.">
    <${dl} axes=${i} change=${e} />
    <${ml} label="queries and keys" points=${[...c("query",n.q[a]),...c("key",n.k[a])]} onMove=${r?()=>{}:p}
      xLabel=${`coordinate ${i.a+1}`} yLabel=${`coordinate ${i.b+1}`} height=${260} />
    ${s.noise&&!r&&d`<button onClick=${()=>e({noise:null})}>Remove the noise</button>`}
  <//>`}function hl(t,e){let n=[];for(let a=0;a<t;a++)for(let i=a+1;i<t;i++)n.push([`${a},${i}`,`${a+1} and ${i+1}`]);let[s,o]=(n.find(([a])=>a===e)?.[0]??n[0]?.[0]??"0,0").split(",").map(Number);return{pairs:n,a:s,b:o,at:a=>({x:a[s]??0,y:a[o]??0}),put:(a,i,l)=>a.map((c,p)=>p===s?i:p===o?l:c)}}var dl=({axes:{pairs:t,a:e,b:n},change:s})=>t.length>1&&d`<${st} label="Coordinates" value=${`${e},${n}`} options=${t} onChange=${o=>s({axes:o})} />`;function ml({label:t,points:e,onMove:n,onChoose:s,chosen:o,xLabel:r,yLabel:a,step:i=.1,height:l=330}){let[c,p]=et(),[u,h]=j(null),m=D(null),f=1.18*Math.max(1,...e.flatMap(({x:N,y:v,from:E})=>[N,v,...E??[]].map(Math.abs))),g=u?.bound??f,$=Math.max(60,Math.min(p,560)/2),y=(Math.min(2*$,l)/2-8)/g,w=(N,v)=>Re().domain([-N/y,N/y]).range([(1-v)*N,(1+v)*N]),[b,x]=[w($,1),w(l/2,-1)],k=N=>e.some(v=>v!==N&&b(v.x)>=b(N.x)&&b(v.x)-b(N.x)<56&&Math.abs(x(v.y)-x(N.y))<15&&v.x!==N.x),P=N=>Number((Math.round(N/(i/2))*(i/2)).toFixed(4)),M=N=>{if(!u)return;let v=m.current.getBoundingClientRect();n(u.id,P(b.invert(N.clientX-v.left)),P(x.invert(N.clientY-v.top)))},O=(N,v)=>{let E={ArrowLeft:[-i,0],ArrowRight:[i,0],ArrowUp:[0,i],ArrowDown:[0,-i]}[N.key];if(E){N.preventDefault();let C=N.shiftKey?10:1;n(v.id,Number((v.x+C*E[0]).toFixed(4)),Number((v.y+C*E[1]).toFixed(4)))}else(N.key==="Enter"||N.key===" ")&&(N.preventDefault(),s?.(v.id))};return d`<div class="plane" ref=${c}>
    <svg ref=${m} width=${2*$} height=${l} role="group" aria-label=${t} onPointerMove=${M}
      onPointerUp=${()=>h(null)} onPointerCancel=${()=>h(null)}>
      <g class="axes"><line x1="8" x2=${2*$-8} y1=${x(0)} y2=${x(0)} /><line x1=${b(0)} x2=${b(0)} y1="8" y2=${l-8} />
        ${b.ticks(6).filter(Boolean).map(N=>d`<text x=${b(N)} y=${x(0)+15} text-anchor="middle">${L(N)}</text>`)}
        ${x.ticks(5).filter(Boolean).map(N=>d`<text x=${b(0)-6} y=${x(N)} dy="0.35em" text-anchor="end">${L(N)}</text>`)}
        <text x=${2*$-8} y=${x(0)-7} text-anchor="end">${r}</text><text x=${b(0)+7} y="18">${a}</text></g>
      ${e.map(N=>N.from&&d`<g class="came"><circle cx=${b(N.from[0])} cy=${x(N.from[1])} r="5" /><line x1=${b(N.from[0])} y1=${x(N.from[1])} x2=${b(N.x)} y2=${x(N.y)} /></g>`)}
      ${e.map(N=>d`<g class=${`point ${N.kind}${o===N.id?" chosen":""}`} tabindex="0" role="button"
        aria-label=${`${N.name} at ${L(N.x)}, ${L(N.y)}; arrow keys move it`} data-point=${N.id}
        transform=${`translate(${b(N.x)},${x(N.y)})`} onKeyDown=${v=>O(v,N)}
        onPointerDown=${v=>{v.preventDefault(),v.currentTarget.focus(),m.current.setPointerCapture(v.pointerId),h({id:N.id,bound:g}),s?.(N.id)}}>
        ${N.kind==="key"?d`<rect x="-7" y="-7" width="14" height="14" rx="3" />`:d`<circle r="8" />`}
        <text x=${k(N)?-12:12} y="-8" text-anchor=${k(N)?"end":"start"}>${N.tag??N.name}</text>
      </g>`)}
    </svg>
  </div>`}function fl({state:t,change:e,found:n,shown:s,names:o,isSaved:r}){let a=s.hard?"Small noise does not change hard weights: lower β to see what changes.":"Drag a key or a query, or move it with the arrow keys: this panel shows what changes.";return d`<div class="columns">
    ${n.jacobian&&d`<${Cd} found=${n} shown=${s} names=${o} />`}
    <${ul} state=${t} change=${e} found=${n} shown=${s} names=${o} isSaved=${r} />
    ${n.moved?d`<${Ad} found=${n} shown=${s} names=${o} change=${r?null:e} />`:d`<${I} class="wide playground-silence" title="What the noise changes" note=${a} />`}
  </div>`}function Cd({found:t,shown:e,names:n}){let s=Math.sqrt(t.jacobian.flat().reduce((o,r)=>o+r*r,0));return d`<${I} title=${`How the weights of “${n[e.query]}” respond to its logits`}
    note=${e.hard?"Hard weights do not change until another logit becomes the largest.":"∂aᵢ/∂zⱼ = aᵢ(δᵢⱼ − aⱼ): a weight near 0 or 1 hardly moves."}>
    <${Lt} label="Jacobian" values=${t.jacobian} scale="signed" limit=${.25} rowNames=${n} columnNames=${n} />
    <p class="note">Frobenius norm <b data-norm>${L(s,4)}</b>, at most 1 − Σa².</p>
  <//>`}function Ad({found:t,shown:e,names:n,change:s}){let{moved:o}=t,r=e.x.length,a=o.moved.flat(),i=a.filter(Boolean).length,l=o.moved.filter(f=>f.some(Boolean)).length,{on:c,index:p,noise:u}=e.noise,h=Math.max(...o.predicted.flatMap((f,g)=>f.map(($,y)=>Math.abs($-o.weights[g][y])))),m=[["Weights after it","weights after the noise",{values:o.weights,scale:"weight",limit:1,moved:o.moved,columnNames:n,fixed:3}],["Their change","change of the weights",{values:o.change,scale:"signed",moved:o.moved,columnNames:n}],["Outputs after it","outputs after the noise",{values:o.outputs,moved:o.outputs.map((f,g)=>f.map(()=>o.outputs_moved[g]))}],["Added to the logits","added to the logits",{values:o.shift,scale:"signed",columnNames:n}],["To first order","change to first order",{values:o.first_order,scale:"signed",columnNames:n}]];return d`<${I} class="wide" title=${`Noise on the ${c} of “${n[p]}”`}
    note=${c==="key"?"One logit of every query changes, and through the normaliser all of its weights.":"The weights of one query change, and no others."}
    actions=${s&&d`<button onClick=${()=>s({noise:null})}>Remove it</button>`}>
    <p data-moved>ε = (${u.map(f=>L(f)).join(", ")}): <b>${i} of ${a.length}</b> weights moved, of <b>${l} of ${r}</b> queries; <b>${o.outputs_moved.filter(Boolean).length} of ${r}</b> outputs. Σ(a′ − a)² = ${L(o.energy)}.</p>
    <div class="row playground-results">
      ${m.map(([f,g,$])=>d`<div><h3>${f}</h3><${Lt} label=${g} rowNames=${n} ...${$} /></div>`)}
    </div>
    <p class="note">The closed form a′ ∝ a·eᵗ predicts the weights after it from those before, within ${L(h)}.</p>
  <//>`}var Eo=[["tokens","Tokens"],["qkv","q, k, v"],["logits","q·k·β"],["softmax","Softmax"],["mix","Mix"]],Td=12,Ht=t=>`(${t.map(e=>L(e)).join(", ")})`,Ed=t=>`${(100*t).toFixed(t>=.9995||t<5e-4?0:1)} %`,Od={tokens:({shown:t,names:e,at:n})=>d`Each word is a row of numbers: ${e[n]} is x = ${Ht(t.x[n])}.`,qkv:({found:t,h:e,names:n,at:s})=>d`Three matrices make of ${n[s]} a <b>query</b>, what it looks for, q = ${Ht(t.q[e][s])}; a <b>key</b>, what it is
    found by, k = ${Ht(t.k[e][s])}; a <b>value</b>, what it gives, v = ${Ht(t.v[e][s])}.`,logits:({found:t,shown:e,h:n,names:s,at:o})=>{let[r]=Vn(t.logits[n][o]),a=t.logits[n][o].filter(i=>i===null).length;return r===void 0?d`The mask hides every word from ${s[o]}.`:d`The query of ${s[o]} meets every key: β·q·k = ${L(t.beta,4)} · ${Ht(t.q[n][o])} · ${Ht(t.k[n][r])} = <b>${L(t.logits[n][o][r])}</b> for ${s[r]}, the largest${a?`; the mask hides ${a} of ${e.x.length}`:""}.`},softmax:({found:t,shown:e,h:n,names:s,at:o})=>{let[r]=Vn(t.logits[n][o]);if(r===void 0)return d`The mask hides every word from ${s[o]}: its weights are 0.`;let a=e.hard?"At β → ∞ the largest logit takes all":d`e<sup>${L(t.logits[n][o][r])}</sup> over the sum of all e<sup>logit</sup> is${" "}
      ${t.weights[n][o][r].toFixed(3)}; so the weights add up to 1`;return d`${a}: ${s[o]} looks at ${$l(t.weights[n][o],s)}.`},mix:({found:t,h:e,names:n,at:s})=>{let o=Vn(t.weights[e][s]).slice(0,2).map(r=>d`${t.weights[e][s][r].toFixed(3)}·v(${n[r]}) + `);return d`The output of ${n[s]} is the values, mixed by its weights: ${o}… = <b>${Ht(t.outputs[e][s])}</b>${t.merged?d`; W_O makes of all heads y = ${Ht(t.merged[s])}`:""}.`},"":({found:t,h:e,names:n,at:s})=>d`Every word looks at the others: <b>${n[s]}</b> looks at ${$l(t.weights[e][s],n)}, and takes that much of
    what they hold. Choose a word, or a step.`},Vn=t=>[...t.keys()].filter(e=>t[e]!==null).sort((e,n)=>t[n]-t[e]),$l=(t,e)=>Vn(t).slice(0,3).map((n,s)=>d`${s?", ":""}${e[n]} <b>${Ed(t[n])}</b>`);function gl({found:t,shown:e,problem:n,names:s,at:o,step:r,change:a,choose:i,edit:l,isSaved:c}){let p=e.head,u={found:t,shown:e,h:p,names:s,at:o},h={rowNames:s,chosen:o,onRow:i},m=($,y,w)=>d`<section class=${`stage${r===$?" lit":""}`} data-stage=${$}><h3>${y}</h3>${w}</section>`,f=$=>$[0].map((y,w)=>`${w+1}`),g=e.hard?`q·k/√${t.q[p][0].length}`:"β·q·k";return d`<${I} class="playground-flow" title=${e.heads.length>1?`Head ${p+1}`:"The head"} actions=${d`<${Pd} step=${r} change=${a} />`}>
    <p class="playground-told" role="status" data-told=${r}>${Od[r](u)}</p>
    <div class="flow">
      ${m("tokens","X, the tokens",d`<${Ld} problem=${n} at=${o} edit=${l} isSaved=${c} />`)}
      ${m("qkv","q, k, v",d`
        ${[["q","Q = X·W_Q","queries"],["k","K = X·W_K","keys"],["v","V = X·W_V","values"]].map(([$,y,w])=>d`<h4>${y}</h4>
          <${Lt} label=${w} values=${t[$][p]} ...${$==="q"?h:{rowNames:s}} fixed=${2} />`)}`)}
      ${m("logits",`Logits ${g}`,d`<${Lt} label="logits" values=${t.logits[p]} scale="signed" columnNames=${s} fixed=${2} ...${h} />
        <p class="hint">query ↓ asks, key → is asked</p>`)}
      ${m("softmax","Weights, softmax",d`<${Lt} label="weights" values=${t.weights[p]} scale="weight" limit=${1} columnNames=${s} fixed=${3} ...${h} />
        <p class="hint">each row adds up to 1</p>`)}
      ${m("mix","Outputs A·V",d`<${Lt} label="outputs" values=${t.outputs[p]} fixed=${2} columnNames=${f(t.outputs[p])} ...${h} />`)}
      ${t.merged&&m("mix","Y, all heads · W_O",d`<${Lt} label="output" values=${t.merged} fixed=${2} columnNames=${f(t.merged)} ...${h} />`)}
    </div>
  <//>`}function Pd({step:t,change:e}){return d`<ol class="playground-steps" aria-label="Steps">${Eo.map(([n,s],o)=>d`<li><button aria-pressed=${String(t===n)}
    onClick=${()=>e({step:t===n?"":n})}>${o+1} ${s}</button></li>`)}</ol>`}function Ld({problem:{x:t,tokens:e},at:n,edit:s,isSaved:o}){let r=t.map((l,c)=>e?.[c]??`token ${c+1}`),a=(l,c)=>l.filter((p,u)=>u!==c),i=()=>s({x:[...t,t[0].map(()=>0)],tokens:[...r,`token ${t.length+1}`]});return d`<fieldset class="group" disabled=${o}>
    <${Xe} label="X" values=${t} rowNames=${r} chosen=${n} onChange=${l=>s({x:l})}
      onName=${(l,c)=>s({tokens:r.map((p,u)=>u===l&&c.trim()||p)})}
      onRemoveRow=${t.length>1?l=>s({x:a(t,l),tokens:a(r,l)}):null} />
    <${Et} onClick=${i} off=${t.length>=Td}>Add a token<//>
    <p class="hint">Type, turn with the arrow keys, or drag a number sideways.</p>
  </fieldset>`}var bl={problem:null,beta:null,hard:!1,mask:"everything",head:0,query:null,step:"",deeper:!1,noise:null,axes:"0,1"},xl=[["everything","everything"],["causal","causal"],["window(1, 1)","neighbours"],["~window(0, 0)","not oneself"]],zd=4,we=100,wl=t=>t===0?0:Number((10**(-2+4*(t-1)/98)).toPrecision(4)),Rd=t=>t<=0?0:Math.max(1,Math.min(we-1,Math.round(1+98*(Math.log10(t)+2)/4))),vl=t=>t===we?{hard:!0,beta:null}:{hard:!1,beta:wl(t)};function yl(t,e,n){let s=(a,i)=>Math.max(0,Math.min(Math.round(a)||0,i-1)),o=_l(e.noise)&&e.noise.noise.length===t.heads[0].q[0].length&&e.noise.index<t.x.length,r=t.tokens?.length===t.x.length?t.tokens:null;return{x:t.x,tokens:r,heads:t.heads,out:t.out,beta:e.beta===null||e.hard?null:Math.max(0,e.beta),hard:e.hard,mask:e.mask,head:s(e.head,t.heads.length),query:kl(e)?s(n,t.x.length):null,noise:o&&!e.hard?e.noise:null}}var Dd=t=>Array.isArray(t?.x?.[0])&&Array.isArray(t?.heads?.[0]?.q?.[0])&&Array.isArray(t.heads[0].v?.[0]),_l=t=>Array.isArray(t?.noise)&&Number.isInteger(t.index),kl=t=>t.deeper||_l(t.noise);function jd({ask:t,state:e,change:n,place:s}){let o=D(null),r=Q(t,"example",{}),a=Dd(e.problem)?e.problem:r.response,i=Number.isFinite(e.query)?e.query:r.response?.query??0,l=a&&yl(a,e,i),c=vt(t,"playground",l),p=c.response;if(!a||!p)return d`<${U} error=${r.error??c.error} waiting=${!0} />`;let u=JSON.parse(c.of),h=s==="file",m=u.x.map((x,k)=>u.tokens?.[k]??`token ${k+1}`),f=u.query??Math.max(0,Math.min(Math.round(i)||0,u.x.length-1)),g=x=>n({problem:{x:a.x,tokens:a.tokens,heads:a.heads,out:a.out,...x}}),$=()=>[["example",{}],...Array.from({length:we+1},(x,k)=>["playground",yl(a,{...e,...vl(k)},i)]),["playground",l]],y=Eo.some(([x])=>x===e.step)?e.step:"",w=kl(e),b={state:e,change:n,found:p,shown:u,problem:a,names:m,edit:g,isSaved:h};return d`<div class="playground" ref=${o}>
    <${I} class="playground-top">
      <${qd} state=${e} change=${n} beta=${p.beta} problem=${a} edit=${g} isSaved=${h} />
      <${ct} name="playground" of=${o} numbers=${()=>Id(p,u)} saves=${$} ask=${t} view="playground" state=${e} place=${s} />
      <${U} error=${c.error} />
    <//>
    <${gl} ...${b} at=${f} step=${y} choose=${h&&w?null:x=>n({query:x})} />
    <div class="columns">
      <${Fd} problem=${a} head=${l.head} edit=${g} isSaved=${h} />
      <${pl} ...${b} />
    </div>
    <div data-unpictured><button class="playground-deeper" aria-expanded=${String(w)} disabled=${h}
      onClick=${()=>n(w?{deeper:!1,noise:null}:{deeper:!0})}>${w?"▾":"▸"} Go deeper: how softmax responds, and what noise changes</button></div>
    ${w&&d`<${fl} ...${b} />`}
  </div>`}function qd({state:t,change:e,beta:n,problem:s,edit:o,isSaved:r}){let a=s.heads[0].q[0].length,i=Math.max(0,n??1/Math.sqrt(a)),l=t.hard?we:Rd(i),c=s.heads.length,p=!xl.some(([g])=>g===t.mask),[u,h]=j(p),m=()=>{let[g,$]=[s.heads[0].q.length,s.heads[0].q[0].length],y=(x,k)=>Array.from({length:x},(P,M)=>Array.from({length:k},(O,N)=>M%k===N?1:0)),w=s.heads[0].v[0].length,b=s.out&&[...s.out,...y(w,s.out[0].length)];o({heads:[...s.heads,{q:y(g,$),k:y(g,$),v:y(g,w)}],out:b}),e({head:c})},f=()=>{let g=s.heads[0].v[0].length,$=Math.min(t.head,c-1);o({heads:s.heads.filter((y,w)=>w!==$),out:s.out?.filter((y,w)=>Math.floor(w/g)!==$)??null}),e({head:Math.max(0,$-1)})};return d`<div class="playground-controls">
    <div class="playground-beta">
      <${at} label="β" min="0" max=${we} step="1" value=${l} onChange=${g=>e(vl(g))}
        says=${g=>g===we?"hard":g===l?L(i,4):L(wl(g))} />
      <${Et} class="quiet" onClick=${()=>e({beta:null,hard:!1})} off=${r||t.beta===null&&!t.hard}>back to 1/√${a}<//>
    </div>
    <p class="hint">${r?"Saved from regard: the slider and the steps work; run regard explore to change anything else.":"β multiplies the logits: 0 spreads the weights evenly, a large value keeps only the largest."}</p>
    <fieldset class="group row" disabled=${r}>
      <${it} label="Mask" value=${u?"custom":t.mask} options=${[...xl,["custom","write one"]]}
        onChange=${g=>(h(g==="custom"),g!=="custom"&&e({mask:g}))} />
      ${u&&d`<${Ot} label="such as causal & window(2)" value=${t.mask} max="200" onChange=${g=>e({mask:g})} />`}
      <span class="row playground-heads"><${it} label="Head" value=${Math.min(t.head,c-1)} options=${s.heads.map((g,$)=>[$,$+1])}
        onChange=${g=>e({head:g,noise:null})} />
        <${Et} onClick=${m} off=${c>=zd} aria-label="add a head">+<//><${Et} onClick=${f} off=${c===1} aria-label="remove this head">−<//></span>
      <button onClick=${()=>(h(!1),e({...bl}))}>Reset to the worked example</button>
    </fieldset>
  </div>`}function Fd({problem:t,head:e,edit:n,isSaved:s}){let{heads:o,out:r}=t,a=i=>l=>n({heads:o.map((c,p)=>p===e?{...c,[i]:l}:c)});return d`<${I} title="Matrices you can change" note="W_Q, W_K and W_V belong to the head; W_O mixes the outputs of all heads.">
    <fieldset class="row playground-results group" disabled=${s}>
      ${[["q","W_Q"],["k","W_K"],["v","W_V"]].map(([i,l])=>d`<div><h3>${l}${o.length>1?` of head ${e+1}`:""}</h3><${Xe} label=${l} values=${o[e][i]} onChange=${a(i)} /></div>`)}
      ${r&&d`<div><h3>W_O</h3><${Xe} label="W_O" values=${r} onChange=${i=>n({out:i})} /></div>`}
    </fieldset>
  <//>`}function Id(t,e){let n=r=>Array.isArray(r)?r.flatMap(n):[r],s=r=>Array.isArray(r)?[r.length,...s(r[0])]:[],o={x:e.x,q:t.q,k:t.k,v:t.v,logits:t.logits,weights:t.weights,outputs:t.outputs};return t.jacobian&&(o.jacobian=t.jacobian),t.merged&&(o.merged=t.merged),t.moved&&Object.assign(o,{weights_after_noise:t.moved.weights,change:t.moved.change,outputs_after_noise:t.moved.outputs,added_to_logits:t.moved.shift}),Object.fromEntries(Object.entries(o).map(([r,a])=>[r,{shape:s(a),data:n(a)}]))}var Ml={name:"playground",title:"Playground",about:"One head of attention, from the words to what they become: change any number.",state:bl,View:jd};var Sl=["loss","rate","gradient"],Oo=36,Wd=800;function Xn(t,e,n){let s=n.toLowerCase().split(/\s+/).filter(Boolean);return e.flatMap(o=>[...t.get(o)??[]].map(([r,a])=>({run:o,name:e.length>1?`${o} · ${r}`:r,...a}))).filter(o=>s.every(r=>o.name.toLowerCase().includes(r)))}function Tl({curves:t,names:e,state:n,change:s}){let o=Xn(t,e,""),r=Xn(t,e,n.only),a=Ud(r.slice(0,Oo)),i=[...new Set(o.flatMap(h=>Object.keys(h.columns)))],l=Sl.filter(h=>i.includes(h)),c=i.filter(h=>h!=="step"&&!Sl.includes(h)),p=l.includes(n.metric)?n.metric:l[0],u=c.includes(n.evaluated)?n.evaluated:c[0];return l.length?d`<div>
    <div class="row runs-controls" data-unpictured>
      <${yt} label="Logarithmic" value=${n.log} onChange=${h=>s({log:h})} />
      <${at} label="Smoothing" value=${n.smoothing} min=${0} max=${.98} step=${.02} onChange=${h=>s({smoothing:h})}
        says=${h=>h?L(h,2):"none"} />
      ${o.length>3&&d`<${Ot} label=${`Only curves with these words, of ${o.length}`} value=${n.only} live max=${100}
        placeholder=${Hd(o)} onChange=${h=>s({only:h})} />`}
    </div>
    ${r.length>Oo&&d`<p class="hint">The first ${Oo} of ${r.length} curves are drawn; filter them above.</p>`}
    ${!r.length&&d`<p class="hint">No training has all of these words.</p>`}
    <div>
      <${Bd} shown=${a} />
      <div class="runs-charts">
        <section>
          <div class="runs-chart-head"><h3>During training</h3><div data-unpictured>
            <${it} label=${d`<span class="unseen">Number at each step</span>`} value=${p} options=${Nl(l)}
              onChange=${h=>s({metric:h})} /></div></div>
          <${Tt} series=${Al(a,p,n.smoothing)} label=${`${p} by step`} xLabel="step"
            yLabel=${n.smoothing?`${p}, smoothed`:p} logY=${n.log} height=${270} says=${Cl} />
        </section>
        <section>
          <div class="runs-chart-head"><h3>At evaluations</h3><div data-unpictured>
            ${u&&d`<${st} label="Number at evaluations" hidden value=${u} options=${Nl(c)}
              onChange=${h=>s({evaluated:h})} />`}</div></div>
          ${u?d`<${Tt} series=${Al(a,u,0)} label=${`${u} by step`} xLabel="step" yLabel=${u}
                height=${270} says=${Cl} />`:d`<p class="hint">No evaluation yet.</p>`}
        </section>
      </div>
    </div>
  </div>`:d`<p class="hint">No step has been recorded yet.</p>`}function Bd({shown:t}){return t.length<2?null:d`<ul class=${`runs-keys ${t.length>6?"runs-many":""}`} aria-label="Curves">
    ${t.map((e,n)=>d`<li><svg width="26" height="8" aria-hidden="true">
      <line x1="0" x2="26" y1="4" y2="4" class=${e.class} stroke-width="1.8" stroke-dasharray=${Ce[n%6]} /></svg>${e.name}</li>`)}
  </ul>`}var Nl=t=>t.map(e=>[e,e]),Cl=(t,e=4)=>L(t,e);function Hd(t){return`for example ${t.flatMap(n=>n.name.split(/[\s·-]+/).filter(s=>s.length>3)).find(n=>t.some(s=>!s.name.includes(n)))??t[0].name}`}function Ud(t){let e=[...new Set(t.map(s=>s.run))],n=e.length===1||e.some(s=>t.filter(o=>o.run===s).length>6);return t.map((s,o)=>({...s,class:_t[(n?o+Math.floor(o/6):e.indexOf(s.run))%6]}))}function Al(t,e,n){return t.map(({name:s,columns:o,class:r})=>{let a=(o.step??[]).map((l,c)=>[l,o[e]?.[c]??null]).filter(([,l])=>l!==null);n&&(a=Kd(a,n));let i=Math.ceil(a.length/Wd);return a=a.filter((l,c)=>c%i===0||c===a.length-1),{name:s,x:a.map(([l])=>l),y:a.map(([,l])=>l),class:r}})}function Kd(t,e){let[n,s]=[0,0];return t.map(([o,r])=>(n=e*n+r,s=e*s+1,[o,n/s]))}function El(t){let e=[...new Set(t.flatMap(o=>Object.keys(o.columns)))],n=t.flatMap(({name:o,lines:r,columns:a},i)=>Array.from({length:r},(l,c)=>[o,[i,...e.map(p=>a[p]?.[c]??null)]])),s=["training",...e];return{curves:{shape:[n.length,s.length],data:n.flatMap(([,o])=>o),rows:n.map(([o])=>o),columns:s}}}var Ol=1e3,Vd=3e3,Xd=30;function Pl(t,e){B(()=>{let n=new AbortController,[s,o,r]=[0,!1,null],a=async()=>{clearTimeout(s),!(o||n.signal.aborted)&&(o=!0,r=await t(n.signal),o=!1,r!==null&&!document.hidden&&!n.signal.aborted&&(s=setTimeout(a,r)))},i=()=>!document.hidden&&r!==null&&a();return document.addEventListener("visibilitychange",i),a(),()=>{n.abort(),clearTimeout(s),document.removeEventListener("visibilitychange",i)}},e)}function Ll(t,e){let[n,s]=j({response:null,error:null}),o=D("");return Pl(async r=>{let a=null;try{a=await t("runs",{},{signal:r});let i=JSON.stringify(a);i!==o.current&&s({response:a,error:null}),o.current=i}catch(i){if(wt(i))return null;o.current="",s(l=>({...l,error:i.message}))}return e==="file"?null:a?.runs.some(i=>i.state==="running")?Ol:Vd},[t,e]),n}function zl(t,e,n){let s=D(new Map),[o,r]=j({curves:new Map,error:null}),a=JSON.stringify(e.map(i=>[i.name,i.state,i.started]));return Pl(async i=>{let l=s.current.size===0&&e.length===0,c=null;for(let p of e){let u=s.current.get(p.name);if(!(u&&u.state===p.state&&p.state!=="running"))try{let[h,m]=await Gd(t,p.name,u?.trainings??new Map,i,n);s.current.set(p.name,{state:p.state,trainings:h}),l||=m||!u}catch(h){if(wt(h))return null;c=h.message}}return(l||c)&&r({curves:new Map([...s.current].map(([p,u])=>[p,u.trainings])),error:c}),n!=="file"&&e.some(p=>p.state==="running")?Ol:null},[t,a,n]),o}async function Gd(t,e,n,s,o){let r=new Map(n),[a,i]=[!1,!0];for(;i;){let l=Object.fromEntries([...r].map(([u,{lines:h,mark:m}])=>[u,{lines:h,mark:m}])),c=await t("curves",{run:e,after:l},{signal:s}),p=new Set(c.trainings.map(u=>u.name));for(let u of r.keys())p.has(u)||(r.delete(u),a=!0);for(let{name:u,start:h,lines:m,mark:f,columns:g}of c.trainings){let $=r.get(u);$&&h===$.lines&&m===$.lines||(a=!0,r.set(u,{lines:m,mark:f,columns:Jd($?.columns??{},h,g,m)}))}i=c.more&&o!=="file"}return[r,a]}function Jd(t,e,n,s){let o=r=>new Array(r).fill(null);return Object.fromEntries([...new Set([...Object.keys(t),...Object.keys(n)])].map(r=>[r,[...t[r]?.slice(0,e)??o(e),...n[r]??o(s-e)]]))}function Rl(t){let e=D(new Map);for(let n of t)for(let{name:s,step:o,written:r}of n.trainings){let a=`${n.name} ${n.started} ${s}`;if(n.state!=="running"&&e.current.delete(a),n.state!=="running")continue;let i=e.current.get(a)??[],l=i.at(-1);if(l?.step===o)continue;let c=l&&o<l.step?[]:i.filter(p=>r-p.written<Xd);e.current.set(a,[...c,{step:o,written:r}])}return(n,s)=>{let o=e.current.get(`${n.name} ${n.started} ${s.name}`)??[],[r,a]=[o[0],o.at(-1)];return o.length<2||a.written<=r.written?null:(a.step-r.step)/(a.written-r.written)}}var Gn=t=>t.trainings.reduce((e,n)=>n.written>e.written?n:e);function Lo({text:t}){let e=D(null),[n,s]=j("");return d`<div class="runs-command"><div tabindex="0" role="group" aria-label="Command"><code ref=${e}>${t}</code></div>
    <button class="quiet" data-unpictured onClick=${async()=>{try{await navigator.clipboard.writeText(t),s("Copied")}catch{getSelection().selectAllChildren(e.current),s("Selected")}setTimeout(()=>s(""),1600)}}>${n||"Copy"}</button><span class="unseen" role="status">${n}</span></div>`}function Dl({run:t,speed:e}){if(t.state==="done")return null;let n=t.trainings.length?Gn(t):null,s=l=>l.steps!==null&&l.step>=l.steps,o=l=>s(l)||t.state==="running"&&l!==n,r=t.trainings.filter(o),a=r.length>4,i=t.trainings.filter(l=>!a||!r.includes(l)).sort((l,c)=>l.written-c.written);return d`<div class="runs-progress">
    ${a&&d`<p class="note">${r.length} trainings are done.</p>`}
    ${i.map(l=>d`<${Yd} key=${l.name} one=${l} speed=${t.state==="running"&&!o(l)?e(t,l):null} />`)}
    ${t.state==="running"&&!n&&d`<p class="note">It is about to start.</p>`}
    ${t.state==="running"&&n&&s(n)&&d`<p class="note">The next training is starting, or the trained models are being measured.</p>`}
    ${t.state==="stopped"&&d`<p class="note">It was stopped. This command continues it exactly where it stopped:</p><${Lo} text=${t.resume} />`}
  </div>`}var Po=t=>t.toLocaleString("en");function Yd({one:{name:t,step:e,steps:n},speed:s}){let o=s&&n?(n-e)/s:null,r=[n?`step ${Po(e)} of ${Po(n)}`:`step ${Po(e)}`];return s&&r.push(`${L(s,2)} steps/s`),o!==null&&r.push(`${Qd(o)} left`),d`<div class="runs-bar" data-training=${t}>
    <span class="runs-name">${t}</span>
    ${n&&d`<progress max=${n} value=${e} aria-label=${`Steps of ${t}`}></progress>`}
    <span class="runs-far">${r.join(" · ")}</span>
  </div>`}function Qd(t){return t<90?`${Math.max(1,Math.round(t))} s`:t<5400?`${Math.round(t/60)} min`:`${L(t/3600,2)} h`}function jl({ask:t,run:e,text:n}){let s=D(null);return B(()=>{let o=new AbortController,r=[];s.current.innerHTML=n;for(let a of s.current.querySelectorAll("table, pre"))Zd(a);for(let a of s.current.querySelectorAll("img[data-figure]")){let i=tm(a);t("figure",{run:e,name:a.dataset.figure},{signal:o.signal}).then(({header:l,data:c,offset:p})=>{r.push(URL.createObjectURL(new Blob([new Uint8Array(c,p)],{type:l.kind}))),a.src=r.at(-1)},l=>wt(l)||(a.remove(),i.textContent+=" (missing)"))}return()=>{o.abort(),r.forEach(a=>URL.revokeObjectURL(a))}},[t,e,n]),d`<div class="runs-report" ref=${s}></div>`}function Zd(t){let e=document.createElement("div");e.className="scrolls",t.replaceWith(e),e.append(t),e.scrollWidth>e.clientWidth&&Object.assign(e,{tabIndex:0,role:"group",ariaLabel:"Scrolls sideways"})}function tm(t){let e=document.createElement("figure"),n=document.createElement("figcaption");return n.textContent=t.alt,t.alt="",t.replaceWith(e),e.append(t,n),n}var ql=t=>[...(t??"").matchAll(/data-figure="([^"]+)"/g)].map(([,e])=>e);function Fl({numbers:t}){let e=Object.keys(t);return d`<details><summary>All numbers <span class="badge">${e.length}</span></summary>
    <div class="runs-table" tabindex="0" role="group" aria-label="All numbers"><table class="lines"><tbody>
      ${e.map(n=>d`<tr><th scope="row">${n}</th><td class="number">${L(t[n],4)}</td></tr>`)}
    </tbody></table></div></details>`}function Il({settings:t}){let e=t.filter(n=>n.own!==null).length;return d`<details><summary>Settings <span class="badge">${t.length}${e?`, ${e} changed`:""}</span></summary>
    <div class="runs-table" tabindex="0" role="group" aria-label="Settings"><table class="lines">
      <thead><tr><th scope="col">setting</th><th scope="col">value</th><th scope="col">recipe default</th></tr></thead>
      <tbody>${t.map(({name:n,value:s,own:o})=>d`<tr class=${o===null?"":"runs-changed"}>
        <th scope="row"><code>${n}</code></th><td><code>${s}</code></td><td>${o===null?"":d`<code>${o}</code>`}</td></tr>`)}</tbody>
    </table></div></details>`}var em={run:null,compared:[],metric:"loss",evaluated:null,log:!1,smoothing:0,only:""};function nm({ask:t,state:e,change:n,place:s}){let o={...e,smoothing:ys(e.smoothing,0,.98,0),run:typeof e.run=="string"?e.run:null},{response:r,error:a}=Ll(t,s),i=r?.runs??[],l=i.filter(b=>!b.is_shipped).sort((b,x)=>x.started.localeCompare(b.started)),c=i.filter(b=>b.is_shipped),p=D(null);p.current??=[...l,...c][0]?.name??null;let u=i.find(b=>b.name===(o.run??p.current)),h=i.filter(b=>b!==u&&o.compared.includes(b.name)),m=u?[u,...h]:[],f=zl(t,m,s),g=Rl(i),$=D([o.run,...o.compared]).current,y=b=>s==="file"?b.filter(x=>$.includes(x.name)):b,w=(b,x)=>n({compared:[...o.compared.filter(k=>k!==b),...x?[b]:[]]});return r?d`<div class="sided runs">
    <div class="panel runs-side">
      <${U} error=${a} />
      ${!l.length&&s!=="file"&&d`<p class="hint">Your runs appear here as soon as they start: try<br />
        <code>regard train reversal --smoke</code></p>`}
      <${Jt} place=${s} what="see other runs" />
      <${im} groups=${[["Yours",y(l)],["Comes with regard",y(c)]]} unreadable=${s==="file"?[]:r.unreadable}
        chosen=${u?.name} compared=${o.compared} onChoose=${b=>n({run:b})} onCompare=${w} />
    </div>
    ${u?d`<${sm} key=${`${u.name} ${u.state} ${u.started}`} ...${{ask:t,state:o,change:n,place:s,run:u,shown:m,found:f,speed:g}} />`:d`<${I} title=${o.run}><p>This run no longer exists.</p><//>`}
  </div>`:d`<${U} error=${a} waiting>reading the runs …<//>`}function sm({ask:t,state:e,change:n,place:s,run:o,shown:r,found:a,speed:i}){let l=D(null),{response:c,error:p,waiting:u}=Q(t,"report",{run:o.name}),h=r.map(f=>f.name),m=()=>[["runs",{}],...h.map(f=>["curves",{run:f,after:{}}]),...h.map(f=>["report",{run:f}]),...ql(c?.html).map(f=>["figure",{run:o.name,name:f}])];return d`<div class="runs-detail" ref=${l}>
    <${I} title=${d`<span class="runs-title">${o.name}</span> <${zo} state=${o.state} />`}
      actions=${d`<${ct} name=${`runs-${o.name}`} of=${l} ask=${t} view="runs" state=${{...e,run:o.name}} place=${s}
        numbers=${()=>El(Xn(a.curves,h,e.only))} saves=${m} />`}>
      ${o.headline&&d`<p class="runs-result">${o.headline}</p>`}
      ${o.is_smoke&&d`<p class="note">A smoke test: it shows that all parts work; its numbers mean nothing.</p>`}
      <p class="note">${o.is_shipped?"Comes with regard; made with":d`Recipe ${o.recipe}, started ${rm(o.started)} with`}</p>
      <${Lo} text=${o.command} />
      ${s==="page"&&d`<${om} ask=${t} run=${o} />`}
      <${Dl} run=${o} speed=${i} />
    <//>
    <section class="panel">
      <${U} error=${a.error} waiting=${!a.curves.has(o.name)}>reading the curves …<//>
      ${a.curves.has(o.name)&&d`<${Tl} curves=${a.curves} names=${h} state=${e} change=${n} />`}
    </section>
    <${I} title="Report">
      <${U} error=${p} waiting=${u}>reading the report …<//>
      ${c?.html&&d`<${jl} ask=${t} run=${o.name} text=${c.html} />`}
      ${c&&!c.html&&d`<p class="hint">${o.state==="done"?"There is no report.":"The report is written when the training is done."}</p>`}
    <//>
    ${c&&d`<section class="panel runs-folded" data-unpictured>
      ${c.numbers&&d`<${Fl} numbers=${c.numbers} />`}
      <${Il} settings=${c.settings} />
    </section>`}
  </div>`}function om({ask:t,run:e}){let n=Q(t,"models",{}).response?.models??[],s=Q(t,"recorded",{}).response?.trainings??[],o=(i,l)=>`#${i}?${encodeURIComponent(JSON.stringify(l))}`,r=n.find(i=>i.name===e.name||i.name.startsWith(`${e.name}/`)),a=s.find(i=>i.run===e.name);return!r&&!a?null:d`<p class="note runs-elsewhere" data-unpictured>
    ${r&&d`<a href=${o("maps",{model:r.name})}>Look at its attention maps</a>`}${r&&a&&" · "}
    ${a&&d`<a href=${o("heads",{run:e.name,training:a.training})}>Play its heads over training</a>`}
  </p>`}function rm(t){let e=new Date(t);return Number.isNaN(e.getTime())?t:e.toLocaleString("en-GB",{dateStyle:"medium",timeStyle:"short"})}var Wl={name:"runs",title:"Runs",about:"Trainings and their results. Curves grow while a training runs; tick several runs to overlay their curves.",state:em,View:nm},am={done:d`<path d="M3 8.5 6.5 12 13 4.5" fill="none" stroke="currentColor" stroke-width="2" />`,running:d`<circle cx="8" cy="8" r="4.5" fill="currentColor" />`,stopped:d`<path d="M5 4v8M11 4v8" fill="none" stroke="currentColor" stroke-width="2.4" />`,unreadable:d`<path d="M8 2.5v7M8 12v1.8" fill="none" stroke="currentColor" stroke-width="2.2" />`},zo=({state:t})=>d`<span class=${`runs-state runs-${t}`}>
  <svg viewBox="0 0 16 16" width="12" height="12" aria-hidden="true">${am[t]}</svg>${t}</span>`;function im({groups:t,unreadable:e,chosen:n,compared:s,onChoose:o,onCompare:r}){let a=D(null);return B(()=>{let[l,c]=[a.current.querySelector(".runs-chosen"),a.current.parentElement],p=l?l.getBoundingClientRect().bottom-c.getBoundingClientRect().bottom:0;p>0&&(c.scrollTop+=p+12)},[n]),d`<nav class="runs-list" aria-label="Runs" ref=${a} onKeyDown=${l=>{let c=[...a.current.querySelectorAll(".runs-pick")],p=c.indexOf(l.target),u=p<0||l.key==="ArrowLeft"||l.key==="ArrowRight"?null:ge(l,p,c.length,1);u!==null&&c[u].focus()}}>
    ${t.map(([l,c])=>c.length>0&&d`<section><h2>${l}</h2><ul>
      ${c.map(p=>d`<li key=${p.name} class=${p.name===n?"runs-chosen":""}>
        <button class="runs-pick" aria-current=${p.name===n?"true":null} onClick=${()=>o(p.name)}>
          <span class="runs-name">${p.name}</span><${zo} state=${p.state} />
          <span class="runs-headline">${p.headline??lm(p)}</span>
        </button>
        ${p.name!==n&&d`<label class="runs-compare" title="Overlay its curves">
          <input type="checkbox" checked=${s.includes(p.name)} onChange=${u=>r(p.name,u.target.checked)} />
          compare<span class="unseen"> ${p.name}</span></label>`}
      </li>`)}
    </ul></section>`)}
    ${e.length>0&&d`<section><h2>Cannot be read</h2><ul>
      ${e.map(l=>d`<li class="runs-wrong"><span class="runs-name">${l.name}</span><${zo} state="unreadable" />
        <span class="runs-headline">${l.why}</span></li>`)}
    </ul></section>`}
  </nav>`}function lm(t){if(!t.trainings.length)return t.state==="running"?"about to start":"not started";let{name:e,step:n,steps:s}=Gn(t);return`${e}: step ${n.toLocaleString("en")}${s?` of ${s.toLocaleString("en")}`:""}`}var Jn=[Ml,Gi,ki,cl,oi,Wl],Ut=t=>Jn.find(e=>e.name===t)??Jn[0];function Ge({model:t}){let e=Ut(t.get("view")),n=G(()=>hr(t),[t]),[s,o]=j(()=>({...e.state,...t.get("state")}));B(()=>{let a=()=>o({...e.state,...t.get("state")});return t.on("change:state",a),()=>t.off("change:state",a)},[t,e]);let r=ir(a=>{t.set("state",{...t.get("state"),...a}),t.save_changes()},[t]);return d`<${e.View} ask=${n} state=${s} change=${r} place=${t.get("place")??"notebook"} />`}function Ro(){let[,t,e]=/^#?([a-z]*)(?:\?(.*))?$/.exec(location.hash)??[],n=Ut(t);return{view:n.name,state:cm(n,e)}}function cm(t,e){try{let n=Object.entries(JSON.parse(decodeURIComponent(e??""))??{});return Object.fromEntries(n.filter(([s,o])=>pm(o,t.state[s])))}catch{return{}}}var Bl=t=>Array.isArray(t)?"array":t===null?"null":typeof t,pm=(t,e)=>e!==void 0&&(e===null||Bl(t)===Bl(e));function Ul({view:t,state:e}){let n=Object.entries(e).filter(([s,o])=>!Kl(o,Ut(t).state[s]));return`#${t}${n.length?`?${encodeURIComponent(Do(Object.fromEntries(n)))}`:""}`}var Do=t=>JSON.stringify(t,(e,n)=>e.startsWith("__")?void 0:n),Kl=(t,e)=>Do(t)===Do(e),oe=new Map;function Hl({view:t,state:e}){if(!oe.has(t)){let n=new ln({view:t,state:e,place:"page"}),s=0;n.on("change:state",()=>{clearTimeout(s),s=setTimeout(()=>{Ro().view===t&&history.replaceState(null,"",Ul({view:t,state:n.get("state")}))},200)}),oe.set(t,n)}return oe.get(t)}function um({model:t,children:e}){let[n,s]=j(null);return this.componentDidCatch=o=>{console.error(o),s(o)},B(()=>{let o=()=>s(null);return t.on("change:state",o),()=>t.off("change:state",o)},[t]),n===null?e:d`<section class="panel" role="alert">
    <p class="error">The view cannot show this address: ${n.message}</p>
    <button onClick=${()=>t.set("state",{})}>Start over</button>
  </section>`}function Vl(){let[t,e]=j(Ro);B(()=>{let s=()=>{let o=Ro();oe.has(o.view)&&!Kl(oe.get(o.view).get("state"),o.state)&&oe.get(o.view).set("state",o.state),e(o)};return addEventListener("hashchange",s),()=>removeEventListener("hashchange",s)},[]),B(()=>{document.title=`${Ut(t.view).title} · regard`},[t.view]);let n=Ut(t.view);return d`
    <a class="skip" href=${location.hash||"#playground"} onClick=${hm}>Skip to the view</a>
    <header class="top">
      <a class="brand" href="#playground" aria-label="regard"><${hn} />regard</a>
      <nav aria-label="Views">
        ${Jn.map(s=>d`<a
            href=${Ul({view:s.name,state:oe.get(s.name)?.get("state")??{}})}
            aria-current=${s.name===n.name?"page":null}
            >${s.title}</a
          >`)}
      </nav>
      <${dn} />
    </header>
    <main id="main" tabindex="-1">
      <div class="heading"><h1>${n.title}</h1><p>${n.about}</p></div>
      <${um} key=${n.name} model=${Hl(t)}><${Ge} model=${Hl(t)} /><//>
    </main>
  `}function hm(t){t.preventDefault(),document.getElementById("main").focus()}var jo=document.getElementById("regard-page");jo&&(jo.textContent="",Se(d`<${Vl} />`,jo));var Xl=document.getElementById("regard-saved");Xl&&dm(JSON.parse(Xl.textContent));function dm({view:t,state:e,answers:n,version:s,date:o}){let r=Ut(t),a=new cn({view:t,state:e,place:"file"},n);document.title=`${r.title} · regard`;let i=document.createElement("div");document.body.append(i);let l=d`
    <main>
      <div class="heading"><div><h1>${r.title}</h1><p>${r.about}</p></div><${dn} /></div>
      <${Ge} model=${a} />
    </main>
    <footer><${hn} /><p>Saved from regard ${s} on ${o}; <code>regard explore</code> shows it live.</p></footer>
  `;Se(l,i)}function Gl(){let{jpThemeLight:t,vscodeThemeKind:e}=document.body.dataset,n=t?t!=="true":e&&/dark/.test(e),s=n===void 0||n===""?null:n?"dark":"light";s&&document.documentElement.dataset.theme!==s&&(document.documentElement.dataset.theme=s)}var M0={render({model:t,el:e}){e.classList.add("regard","in-notebook");let n=({target:o})=>e.contains(o)&&(o.dataset.lmSuppressShortcuts="true");addEventListener("keydown",n,!0),Gl();let s=new MutationObserver(Gl);return s.observe(document.body,{attributeFilter:["data-jp-theme-light","data-vscode-theme-kind"]}),Se(d`<${Ge} model=${t} />`,e),()=>(removeEventListener("keydown",n,!0),s.disconnect(),Se(null,e))}};export{ln as PageModel,cn as SavedModel,hr as asker,M0 as default,to as drawFigure,ye as ellipseOf,mc as fromBase64,d as html,wt as isAborted,Se as render,gs as toBase64,dc as unpack,Q as useAnswer,vt as useLatest,Ut as viewOf};
