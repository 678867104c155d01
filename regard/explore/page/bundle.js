/* sources 3eed42881c85a9bc0d20499edb04cfc6 */
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
var K,ao,mc,Dt,is,an,io,sn,lo,hs,ls,fc,Te=Symbol.for("pv"),ln={},cn=[],$c=/^m(i|n|o|s|text|space)$/,ds=Array.isArray,ms=cn.slice,Kt=Object.assign;function Ut(t){t&&t.parentNode&&t.remove()}function gc(t,e,n){var s,r,o,a={},i=arguments.length;for(o in e)o=="key"?s=e[o]:o=="ref"&&typeof t!="function"?r=e[o]:a[o]=e[o];return i>2&&(a.children=i>3?ms.call(arguments,2):n),Ne(t,a,s,r,null)}function Ne(t,e,n,s,r){var o={type:t,props:e,key:n,ref:s,__k:null,__:null,__b:0,__e:null,__c:null,constructor:Te,__v:r||++ao,__i:-1,__u:0};return!r&&K.vnode&&K.vnode(o),o}function un(t){return t.children}function rn(t,e){this.props=t,this.context=e,this.__g=0}function jt(t,e){if(e==null)return t.__&&jt(t.__,t.__i+1);for(var n;e<t.__k.length;e++)if((n=t.__k[e])&&n.__e)return n.__e;return typeof t.type!="function"||t.props.__P?null:jt(t)}function xc(t){var e,n=t.__v,s=n.__e,r=[],o=[],a=t.__P;a&&((e=Kt({constructor:Te},n)).__v=n.__v+1,K.vnode&&K.vnode(e),fs(a,e,n,t.__n,a.namespaceURI,32&n.__u?[s]:null,r,s||jt(n),32&n.__u,o),e.__v=n.__v,e.__.__k[e.__i]=e,fo(r,e,o),n.__=n.__e=null,e.__e!=s&&co(e))}function co(t){if((t=t.__)&&t.__c&&!t.props.__P)return t.__e=null,t.__k.some(function(e){return e&&(t.__e=e.__e)}),co(t)}function Gr(t){(8&t.__g||(t.__g|=8,Dt.push(t),an++))&&is==K.debounceRendering||((is=K.debounceRendering)||queueMicrotask)(uo)}function uo(){try{for(var t,e=1;Dt.length;)Dt.length>e&&Dt.sort(io),t=Dt.shift(),e=Dt.length,8&t.__g&&xc(t)}finally{(an=Dt.length)&&(is||queueMicrotask)(uo)}}function po(t,e,n,s,r,o,a,i,l,c,u){var p,d,m,f,$,g,x=s.__k||cn,v=e.length;for(l=yc(n,e,x,l,v),p=0;p<v;p++)(m=n.__k[p])!=null&&(d=~m.__i&&x[m.__i]||ln,m.__i=p,g=fs(t,m,d,r,o,a,i,l,c,u),f=m.__e,(d.ref!=m.ref||8&d.__u)&&(d.ref&&$s(d.ref,null,m,d),m.ref&&u.push(m.ref,m.__c||f,m)),$=$||f,4&m.__u?(l=ho(m,l,t,!d.__v),d.__e&&(d.__e=null)):typeof m.type=="function"&&g!==void 0?l=g:f&&(l=f.nextSibling),m.__u&=-21);return n.__e=$,l}function yc(t,e,n,s,r){var o,a,i,l,c,u,p,d,m,f=n.length,$=f,g=0,x=0,v=t.__k=Array(r);for(o=0;o<r;o++)(a=e[o])!=null&&typeof a!="boolean"&&typeof a!="function"?(typeof a!="object"||a.constructor===String?a=v[o]=Ne(null,a):ds(a)?a=v[o]=Ne(un,{children:a}):a.constructor===Te&&a.__b?a=v[o]=Ne(a.type,a.props,a.key,a.ref,a.__v):v[o]=a,l=o+g,a.__=t,a.__b=t.__b+1,i=null,~(c=a.__i=vc(a,n,l,$))&&($--,(i=n[c])&&(i.__u|=2)),i&&i.__v?(a.__u|=16,c==l-1?g--:c==l+1?g++:c!=l&&(c>l?g--:g++,x=1)):(~c||(r>f?g--:r<f&&g++),typeof a.type!="function"&&(a.__u|=4))):v[o]=null;if(x){for(u=[],p=[],o=0;o<r;o++)if((a=v[o])&&16&a.__u){for(g=0,d=u.length;g<d;)u[m=g+d>>1]<a.__i?g=m+1:d=m;u[g]=a.__i,p[o]=g+1}for(g=u.length;o--;)p[o]&&(p[o]==g?g--:v[o].__u|=4)}if($)for(o=0;o<f;o++)!(i=n[o])||2&i.__u||(i.__e==s&&(s=jt(i)),gs(i,i));return s}function ho(t,e,n,s){var r,o,a,i;if(typeof t.type=="function"){if(t.props.__P)return e;if(r=t.__k)for(o=0;o<r.length;o++)r[o]&&(r[o].__=t,e=ho(r[o],e,n,!1));return e}for(e&&!e.parentNode&&(e=jt(t))&&!e.parentNode&&(e=null),a=t.__e,i=e;i&&i.nodeType==8;)i=i.nextSibling;for(a!=i&&(!s&&n.moveBefore&&a.parentNode?n.moveBefore(a,e):n.insertBefore(a,e||null)),e=a;(e=e&&e.nextSibling)&&e.nodeType==8&&!e.data.startsWith("$s"););return e}function vc(t,e,n,s){var r,o=t.key,a=t.type,i=e[n],l=i&&!(2&i.__u);if(i===null&&o==null||l&&o==i.key&&a==i.type)return n;if(s>(l?1:0)){for(r=n-1;r>=0;r--)if((i=e[r])&&!(2&i.__u)&&o==i.key&&a==i.type)return r;for(r=n+1;r<e.length;r++)if((i=e[r])&&!(2&i.__u)&&o==i.key&&a==i.type)return r}return-1}function Jr(t,e,n){n==null&&(n=""),e[0]=="-"?t.setProperty(e,n):t[e]=n}function nn(t,e,n,s,r){var o,a;if(e=="style")if(typeof n=="string")t.style.cssText=n;else{if(typeof s=="string"&&(t.style.cssText=s=""),s)for(e in s)n&&e in n||Jr(t.style,e);if(n)for(e in n)s&&n[e]==s[e]||Jr(t.style,e,n[e])}else if(e[0]=="o"&&e[1]=="n")typeof n!="function"&&(n=null),typeof s!="function"&&(s=null),(t.__e||(t.__e={}))[e]=n,n&&s||(a=ls[e]||(ls[e]=bc(e)),(t.__a||(t.__a={}))[e]=hs,o=e!=(e=e.replace(lo,"$1")),(e=e.slice(2))[0]<"a"&&(e=e.toLowerCase()),n?t.addEventListener(e,a,o):t.removeEventListener(e,a,o));else{if(r=="http://www.w3.org/2000/svg")e=e.replace(/xlink(H|:h)/,"h").replace(/sName$/,"s");else if(e!="width"&&e!="height"&&e!="href"&&e!="list"&&e!="form"&&e!="tabIndex"&&e!="download"&&e!="rowSpan"&&e!="colSpan"&&e!="role"&&e!="popover"&&e in t)try{return void(t[e]=n??"")}catch{}if(typeof n=="function")return;n==null||n===!1&&e[4]!="-"?t.removeAttribute(e):t.setAttribute(e,e=="popover"&&n==1?"":n)}}function bc(t){return function(e){var n=this.__e;if(n){if(n=n[t],e[sn]==null)e[sn]=hs++;else if(e[sn]<this.__a[t])return;return n(K.event?K.event(e):e)}}}function fs(t,e,n,s,r,o,a,i,l,c){var u,p,d,m,f,$,g,x,v,b,y,_,w,N,M,T,k,P,C=e.type;if(e.constructor!==Te)return null;128&n.__u&&(l=32&n.__u,u=n.__c.__z)&&(e.__u|=l,p=o=[],u.nodeType==8?i=on(u,o):o.push(u),i=o[0]||i),(u=K.__b)&&u(e);t:if(typeof C=="function"){d=a.length;try{if(x=e.props,v=(u=C.prototype)&&u.render,b=(u=C.contextType)&&s[u.__c],y=u?b?b.props.value:u.__:s,(m=n.__c)?(e.__c=m,2&m.__g&&(m.__g|=1)):(v?e.__c=m=new C(x,y):(e.__c=m=new rn(x,y),m.constructor=C,m.render=_c),b&&b.sub(m),m.state||(m.state={}),m.__n=s,m.__g|=8,m.__h=[],m.__k=[]),v&&(m.__s||(m.__s=m.state),C.getDerivedStateFromProps&&(m.__s==m.state&&(m.__s=Kt({},m.__s)),Kt(m.__s,C.getDerivedStateFromProps(x,m.__s)))),f=m.props,$=m.state,m.__v=e,n.__c){if(x!==f&&v&&!C.getDerivedStateFromProps&&m.componentWillReceiveProps&&m.componentWillReceiveProps(x,y),e.__v==n.__v&&!(8&m.__g)||!(4&m.__g)&&m.shouldComponentUpdate&&m.shouldComponentUpdate(x,m.__s,y)===!1){e.__v!=n.__v&&(m.props=x,m.state=m.__s,m.__g&=-9),e.__e=n.__e,e.__k=n.__k,e.__k.some(function(D){D&&(D.__=e)}),cn.push.apply(m.__h,m.__k),m.__k=[],m.__h.length&&a.push(m),i=jt(n);break t}m.componentWillUpdate&&m.componentWillUpdate(x,m.__s,y),v&&m.componentDidUpdate&&m.__h.push(function(){m.componentDidUpdate(f,$,g)})}else v&&!C.getDerivedStateFromProps&&m.componentWillMount&&m.componentWillMount(),v&&m.componentDidMount&&m.__h.push(m.componentDidMount);m.context=y,m.props=x,m.__P=t,m.__g&=-5,_=K.__r,w=v?25:0;do m.__g&=-9,_&&_(e),u=m.render(m.props,m.state=m.__s,m.context);while(8&m.__g&&++w<25);v&&(cn.push.apply(m.__h,m.__k),m.__k=[]),m.state=m.__s,m.getChildContext&&(s=Kt({},s,m.getChildContext())),v&&n.__c&&m.getSnapshotBeforeUpdate&&(g=m.getSnapshotBeforeUpdate(f,$)),N=u&&u.type===un&&u.key==null?u.props.children:u,x.__P&&(u=i,r=(t=x.__P).namespaceURI,l=o=null,n.props&&n.props.__P!=t&&(n.__k.some(function(D){D&&gs(D,D)}),n.__k=null),i=n.__k?jt(n,0):null),i=po(t,ds(N)?N:[N],e,n,s,r,o,a,i,l,c),x.__P&&(e.__e=null,i=u),e.__u&=-161,p&&p.some(Ut),m.__h.length&&a.push(m),1&m.__g&&(m.__g&=-4)}catch(D){if(a.length=d,e.__v=null,l||o)if(D&&D.then){if(e.__u|=128|l,o){for(~(k=o.indexOf(i||void 0))||(k=o.length);(P=o[k-1])&&P.nodeType==8;)k--;for(;k<o.length;k++)if(P=o[k])if(o[k]=null,M){if(P==T)break}else{if(P.nodeType!=8)break;P.data.startsWith("$s")&&(T=on(M=P))}}if(!M){for(;i&&i.nodeType==8&&i.nextSibling;)i=i.nextSibling;M=i}(u=on(M=e.__c.__z||(e.__c.__z=M)))?(e.__e=M,i=u):e.__e=i,i=i&&i.nextSibling}else o&&o.some(Ut);else e.__e=n.__e;e.__k||(e.__k=n.__k||[]),D&&D.then||mo(e),K.__e(D,e,n)}}else i=e.__e=wc(n.__e,e,n,s,r,o,a,l,c,t);return(u=K.diffed)&&u(e),i}function on(t,e){if(t&&t.nodeType==8&&t.data.startsWith("$s"))for(var n=1;t=t.nextSibling;){if(t.nodeType==8){if(t.data.startsWith("$s"))n++;else if(t.data.startsWith("/$s")&&!--n)return t}e&&e.push(t)}}function mo(t){t&&(t.__c&&(t.__c.__g|=4),t.__k&&t.__k.some(mo))}function fo(t,e,n){for(var s=0;s<n.length;)$s(n[s++],n[s++],n[s++]);K.__c&&K.__c(e,t),t.some(function(r){try{t=r.__h,r.__h=[],t.some(function(o){o.call(r)})}catch(o){K.__e(o,r.__v)}})}function wc(t,e,n,s,r,o,a,i,l,c){var u,p,d,m,f,$,g,x,v=n.props||ln,b=e.props,y=e.type;if(y=="svg"?r="http://www.w3.org/2000/svg":y=="math"?r="http://www.w3.org/1998/Math/MathML":r||(r="http://www.w3.org/1999/xhtml"),o){for(u=0;u<o.length;u++)if((f=o[u])&&(y?f.localName==y:f.nodeType==3)){t=f,o[u]=null;break}}if(!t){if(x=c.ownerDocument||document,!y)return x.createTextNode(b);t=x.createElementNS(r,y,b.is?b:c),i&&(K.__m&&K.__m(e,o),i=!1),o=null}if(y){if(c=y=="template"&&t.content||t,o=y=="textarea"&&b.defaultValue!=null?null:o&&ms.call(c.childNodes),!i&&o)for(v={},u=0;u<t.attributes.length;u++)v[(f=t.attributes[u]).name]=f.value;for(u in v)f=v[u],u=="dangerouslySetInnerHTML"?d=f:u=="children"||u in b||u=="value"&&"defaultValue"in b||u=="checked"&&"defaultChecked"in b||nn(t,u,null,f,r);for(u in b)f=b[u],u=="children"?m=f:u=="dangerouslySetInnerHTML"?p=f:u=="value"?$=f:u=="checked"?g=f:i&&typeof f!="function"||v[u]===f||nn(t,u,f,v[u],r);p?(i||d&&(p.__html==d.__html||p.__html==t.innerHTML)||(t.innerHTML=p.__html),e.__k=[]):(d&&(t.textContent=""),(y=="foreignObject"||r=="http://www.w3.org/1998/Math/MathML"&&$c.test(y))&&(r="http://www.w3.org/1999/xhtml"),po(c,ds(m)?m:[m],e,n,s,r,o,a,o?o[0]:n.__k&&jt(n,0),i,l),o&&o.some(Ut)),i&&y!="textarea"||(u="value",y=="progress"&&$==null?t.removeAttribute(u):$==null||$===t[u]&&(y!="progress"||$)||nn(t,u,$,v[u],r),u="checked",g!=null&&g!=t[u]&&nn(t,u,g,v[u],r))}else v===b||i&&t.data==b||(t.data=b);return t}function $s(t,e,n,s){try{typeof t=="function"?e?e.__x=t(e)||1:s&&(s=s.__c||s.__e)&&(e=s.__x)&&(s.__x=null,typeof e=="function"?e():t(null)):t.current=e}catch(r){K.__e(r,n)}}function gs(t,e,n){var s,r,o,a;if(K.unmount&&K.unmount(t),!(s=t.ref)||s.current&&s.current!=t.__e||$s(s,null,e,t),s=t.__c){if(s.componentWillUnmount)try{s.componentWillUnmount()}catch(i){K.__e(i,e)}s.__P=s.__n=null}if(s=t.__k)for(a=0;a<s.length;a++)s[a]&&gs(s[a],e,typeof t.type!="function"||n&&!t.props.__P);!n&&(s=t.__c)&&(s=s.__z)&&(r=on(s,o=[]))&&(s==t.__e&&o.some(Ut),Ut(r),Ut(s)),n||Ut(t.__e),t.__e=t.__c=t.__=null}function _c(t,e,n){return this.constructor(t,n)}function Ee(t,e){var n,s,r,o;K.__&&K.__(t,e),e.nodeType==9&&(e=e.documentElement),s=(n=t&&32&t.__u)?null:e.__k,e.__k=Ne(un,{children:[t]}),r=[],o=[],fs(e,e.__k,s||ln,ln,e.namespaceURI,s?null:e.firstChild?ms.call(e.childNodes):null,r,s?s.__e:e.firstChild,n,o),fo(r,e.__k,o),e.__k.props.children=null}K={__e:function(t,e,n,s){for(var r,o,a;e=e.__;)if((r=e.__c)&&!(1&r.__g)){r.__g|=4;try{if((a=(o=r.constructor)&&o.getDerivedStateFromError)&&r.setState(o.getDerivedStateFromError(t)),r.componentDidCatch&&(r.componentDidCatch(t,s||{}),a=1),a&&8&r.__g)return void(r.__g|=2)}catch(i){t=i}}throw an=0,t}},ao=0,mc=function(t){return t!=null&&t.constructor===Te},rn.prototype.setState=function(t,e){var n=this.__s;n&&n!=this.state||(n=this.__s=Kt({},this.state)),typeof t=="function"&&(t=t(Kt({},n),this.props)),t&&(Kt(n,t),this.__v&&(e&&this.__k.push(e),Gr(this)))},rn.prototype.forceUpdate=function(t){this.__v&&(this.__g|=4,t&&this.__h.push(t),Gr(this))},rn.prototype.render=un,Dt=[],an=0,io=function(t,e){return t.__v.__b-e.__v.__b},sn=Symbol(),lo=/(PointerCapture)$|Capture$/i,hs=0,ls={},fc=0;var Vt,Q,as,Xr,cs=Object.is,Ae=0,$o=[],us=[],Y=K,Yr=Y.__b,Qr=Y.__r,Zr=Y.diffed,to=Y.__c,eo=Y.unmount,no=Y.__;function Oe(t,e){Y.__h&&Y.__h(Q,t,Ae||e),Ae=0;var n=Q.__H||(Q.__H={__:[],__h:[]});return t>=n.__.length&&n.__.push({}),n.__[t]}function j(t){return Ae=1,kc(xo,t)}function kc(t,e,n){var s=Oe(Vt++,2);if(s.t=t,!s.__c&&(s.__=[n?n(e):xo(void 0,e),function(o){var a=(s.__N||s.__)[0],i=s.t(a,o);cs(a,i)||(s.__N=[i,s.__[1]],s.__c.setState({}))}],s.__c=Q,!Q.__f)){Q.__f=!0;var r=Q.shouldComponentUpdate;Q.shouldComponentUpdate=function(o,a,i){var l=this.__H;if(!l)return!0;var c=!1,u=this.props!=o;if(l.__.some(function(d){d.__N&&(c=!0,cs(d.__[0],d.__N[0])||(u=!0))}),r){var p=r.call(this,o,a,i);return c?p||u:p}return!c||u}}return s.__}function W(t,e){var n=Oe(Vt++,3);!Y.__s&&xs(n.__H,e)&&(n.__P=!0,n.__=t,n.u=e,Q.__H.__h.push(n))}function lt(t,e){var n=Oe(Vt++,4);!Y.__s&&xs(n.__H,e)&&(n.__P=!1,n.__=t,n.u=e,Q.__h.push(n))}function z(t){return Ae=5,U(function(){return{current:t}},[])}function U(t,e){var n=Oe(Vt++,7);return xs(n.__H,e)&&(n.__=t(),n.__H=e),n.__}function go(t,e){return Ae=8,U(function(){return t},e)}function V(){var t=Oe(Vt++,11);if(!t.__){for(var e=Q.__v;!e.__m&&e.__;)e=e.__;var n=e.__m||(e.__m=[0,0]);t.__="P"+n[0]+"-"+n[1]++}return t.__}function Mc(){var t;do{for(;t=us.shift();)try{Ce(t)}catch(n){Y.__e(n,{__:(t=t.__P)&&t.__v})}for(;t=$o.shift();){var e=t.__H;if(t.__P&&e)try{e.__h.some(Ce),e.__h.some(ps),e.__h=[]}catch(n){e.__h=[],Y.__e(n,t.__v)}}}while(us.length)}Y.__b=function(t){Q=null,Yr&&Yr(t)},Y.__=function(t,e){t&&e.__k&&e.__k.__m&&(t.__m=e.__k.__m),no&&no(t,e)},Y.__r=function(t){Qr&&Qr(t),Vt=0;var e=(Q=t.__c).__H;e&&(as==Q?Q.__h=[]:(e.__h.some(Ce),e.__h.some(ps),Vt=0),e.__h=[],e.__.some(function(n){n.__N&&(n.__=n.__N),n.u=n.__N=void 0})),as=Q},Y.diffed=function(t){Zr&&Zr(t);var e=t.__c;e&&e.__H&&(e.__H.__h.length&&ro($o.push(e)),e.__H.__.some(function(n){n.u&&(n.__H=n.u)})),as=Q=null},Y.__c=function(t,e){e.some(function(n){try{n.__h.some(Ce),n.__h=n.__h.filter(function(s){return!s.__||ps(s)})}catch(s){n.__h=[function(){throw s}]}}),to&&to(t,e)},Y.unmount=function(t){eo&&eo(t);var e,n,s=t.__c;s&&s.__H&&(s.__H.__.some(function(r){try{if(r.__P&&r.__c){if(n===void 0){for(n=t.__;n&&(!n.__c||!n.__c.__P);)n=n.__;n=n&&n.__c}r.__P=n,ro(us.push(r))}else Ce(r)}catch(o){e=o}}),s.__H=void 0,e&&Y.__e(e,s.__v))};var so=typeof requestAnimationFrame=="function";function Sc(t){var e,n=function(){clearTimeout(s),so&&cancelAnimationFrame(e),setTimeout(t)},s=setTimeout(n,35);so&&(e=requestAnimationFrame(n))}function ro(t){t!=1&&Xr==Y.requestAnimationFrame||((Xr=Y.requestAnimationFrame)||Sc)(Mc)}function Ce(t){var e=Q,n=t.__c;typeof n=="function"&&(t.__c=void 0,n()),Q=e}function ps(t){var e=Q;t.__c=t.__(),Q=e}function xs(t,e){return!t||t.length!=e.length||e.some(function(n,s){return!cs(n,t[s])})}function xo(t,e){return typeof e=="function"?e(t):e}var yo=function(t,e,n,s){var r;e[0]=0;for(var o=1;o<e.length;o++){var a=e[o++],i=e[o]?(e[0]|=a?1:2,n[e[o++]]):e[++o];a===3?s[0]=i:a===4?s[1]=Object.assign(s[1]||{},i):a===5?(s[1]=s[1]||{})[e[++o]]=i:a===6?s[1][e[++o]]+=i+"":a?(r=t.apply(i,yo(t,i,n,["",null])),s.push(r),i[0]?e[0]|=2:(e[o-2]=0,e[o]=r)):s.push(i)}return s},oo=new Map;function Nc(t){var e=oo.get(this);return e||(e=new Map,oo.set(this,e)),(e=yo(this,e.get(t)||(e.set(t,e=(function(n){for(var s,r,o=1,a="",i="",l=[0],c=function(d){o===1&&(d||(a=a.replace(/^\s*\n\s*|\s*\n\s*$/g,"")))?l.push(0,d,a):o===3&&(d||a)?(l.push(3,d,a),o=2):o===2&&a==="..."&&d?l.push(4,d,0):o===2&&a&&!d?l.push(5,0,!0,a):o>=5&&((a||!d&&o===5)&&(l.push(o,0,a,r),o=6),d&&(l.push(o,d,0,r),o=6)),a=""},u=0;u<n.length;u++){u&&(o===1&&c(),c(u));for(var p=0;p<n[u].length;p++)s=n[u][p],o===1?s==="<"?(c(),l=[l],o=3):a+=s:o===4?a==="--"&&s===">"?(o=1,a=""):a=s+a[0]:i?s===i?i="":a+=s:s==='"'||s==="'"?i=s:s===">"?(c(),o=1):o&&(s==="="?(o=5,r=a,a=""):s==="/"&&(o<5||n[u][p+1]===">")?(c(),o===3&&(l=l[0]),o=l,(l=l[0]).push(2,0,o),o=0):s===" "||s==="	"||s===`
`||s==="\r"?(c(),o=2):a+=s),o===3&&a==="!--"&&(o=4,l=l[0])}return c(),l})(t)),e),arguments,[])).length>1?e:e[0]}var h=Nc.bind(gc);function wo(t){return ys.has(t)||ys.set(t,Cc(t)),ys.get(t)}var ys=new WeakMap;function Cc(t){let e=new Map,n=Math.random().toString(36).slice(2),s=0;return t.on("msg:custom",(r,o)=>{let a=e.get(r?.id);a&&(e.delete(r.id),r.error!==void 0?a.reject(Object.assign(new Error(r.error),{status:r.status})):a.resolve(o?.length?Ac(o[0]):r.response))}),(r,o={},{signal:a}={})=>new Promise((i,l)=>{if(a?.aborted)return l(vo());let c=`${n}-${++s}`;e.set(c,{resolve:i,reject:l}),a?.addEventListener("abort",()=>{e.delete(c)&&(t.send({id:c,cancel:!0}),l(vo()))}),t.send({id:c,name:r,request:o})})}var vo=()=>new DOMException("nobody waits for it any more","AbortError"),wt=t=>t?.name==="AbortError";function Ac(t){let e=t instanceof DataView?t:new DataView(t.buffer??t,t.byteOffset??0),n=e.getUint32(0,!0),s=JSON.parse(new TextDecoder().decode(new Uint8Array(e.buffer,e.byteOffset+4,n))),r=e.byteOffset+4+n,o=r%8?e.buffer.slice(r,e.byteOffset+e.byteLength):e.buffer,a=new Uint8Array(e.buffer,e.byteOffset,e.byteLength);return{header:s,data:o,offset:r%8?0:r,packed:a}}var pn=class{constructor(e){this.state=e,this.listeners=new Map}get(e){return this.state[e]}set(e,n){this.state[e]!==n&&(this.state[e]=n,this.emit(`change:${e}`,n))}save_changes(){}on(e,n){this.listeners.set(e,[...this.listeners.get(e)??[],n])}off(e,n){this.listeners.set(e,(this.listeners.get(e)??[]).filter(s=>n&&s!==n))}emit(e,...n){for(let s of this.listeners.get(e)??[])s(...n)}},hn=class extends pn{running=new Map;async send({id:e,name:n,request:s,cancel:r}){if(r)return this.running.get(e)?.abort();let o=new AbortController;this.running.set(e,o);try{let a={"Content-Type":"application/json"},i=JSON.stringify(s),l=await fetch(`api/${n}`,{method:"POST",headers:a,body:i,signal:o.signal});if(l.headers.get("content-type")?.startsWith("application/octet-stream"))this.emit("msg:custom",{id:e},[await l.arrayBuffer()]);else{let c=await l.json();l.ok?this.emit("msg:custom",{id:e,response:c}):this.emit("msg:custom",{id:e,error:c.error??"the server failed",status:l.status})}}catch(a){wt(a)||this.emit("msg:custom",{id:e,error:"the server does not respond; is it still running?"})}finally{this.running.delete(e)}}},dn=class extends pn{constructor(e,n){super(e),this.answers=new Map(n.map(([s,r,o])=>[bo(s,r),o]))}send({id:e,name:n,request:s,cancel:r}){if(r)return;let o=this.answers.get(bo(n,s));queueMicrotask(()=>{o===void 0?this.emit("msg:custom",{id:e,error:"the saved file does not hold this; run regard explore to see it",status:404}):typeof o=="string"?this.emit("msg:custom",{id:e},[Tc(o).buffer]):this.emit("msg:custom",{id:e,response:o})})}},bo=(t,e)=>`${t} ${JSON.stringify(vs(e))}`,vs=t=>Array.isArray(t)?t.map(vs):t&&typeof t=="object"?Object.fromEntries(Object.keys(t).sort().map(e=>[e,vs(t[e])])):t;function Tc(t){let e=atob(t),n=new Uint8Array(e.length);for(let s=0;s<e.length;s++)n[s]=e.charCodeAt(s);return n}function bs(t){let e=[];for(let n=0;n<t.length;n+=32768)e.push(String.fromCharCode(...t.subarray(n,n+32768)));return btoa(e.join(""))}function J(t,e,n){let s=n==null?null:JSON.stringify(n),[r,o]=j({response:null,error:null,waiting:s!==null,of:null});return W(()=>{if(s===null){o(i=>i.waiting?{...i,waiting:!1}:i);return}let a=new AbortController;return o(i=>({...i,waiting:!0})),t(e,JSON.parse(s),{signal:a.signal}).then(i=>o({response:i,error:null,waiting:!1,of:s}),i=>wt(i)||o(l=>({...l,error:i.message,waiting:!1}))),()=>a.abort()},[t,e,s]),r}function $t(t,e,n){let s=n==null?null:JSON.stringify(n),[r,o]=j({response:null,error:null,waiting:s!==null,of:null}),a=z({busy:!1,next:null,here:!0});return W(()=>(a.current.here=!0,()=>a.current.here=!1),[]),W(()=>{if(s===null)return;let i=a.current,l=async c=>{i.busy=!0,i.next=null;try{let u=await t(e,JSON.parse(c));i.here&&o({response:u,error:null,waiting:i.next!==null,of:c})}catch(u){i.here&&!wt(u)&&o(p=>({...p,error:u.message,waiting:!1}))}i.busy=!1,i.next!==null&&i.here&&l(i.next)};i.busy?i.next=s:l(s)},[t,e,s]),r}function xn(t,e){return t==null||e==null?NaN:t<e?-1:t>e?1:t>=e?0:NaN}function Ec(t,e){return t==null||e==null?NaN:e<t?-1:e>t?1:e>=t?0:NaN}function Yo(t){let e,n,s;t.length!==2?(e=xn,n=(i,l)=>xn(t(i),l),s=(i,l)=>t(i)-l):(e=t===xn||t===Ec?t:Oc,n=t,s=t);function r(i,l,c=0,u=i.length){if(c<u){if(e(l,l)!==0)return u;do{let p=c+u>>>1;n(i[p],l)<0?c=p+1:u=p}while(c<u)}return c}function o(i,l,c=0,u=i.length){if(c<u){if(e(l,l)!==0)return u;do{let p=c+u>>>1;n(i[p],l)<=0?c=p+1:u=p}while(c<u)}return c}function a(i,l,c=0,u=i.length){let p=r(i,l,c,u-1);return p>c&&s(i[p-1],l)>-s(i[p],l)?p-1:p}return{left:r,center:a,right:o}}function Oc(){return 0}function Pc(t){return t===null?NaN:+t}var Qo=Yo(xn),Lc=Qo.right,Im=Qo.left,Wm=Yo(Pc).center,Bm=Zo(ta),Hm=Zo(zc);function Zo(t){return function(e,n,s=n){if(!((n=+n)>=0))throw new RangeError("invalid rx");if(!((s=+s)>=0))throw new RangeError("invalid ry");let{data:r,width:o,height:a}=e;if(!((o=Math.floor(o))>=0))throw new RangeError("invalid width");if(!((a=Math.floor(a!==void 0?a:r.length/o))>=0))throw new RangeError("invalid height");if(!o||!a||!n&&!s)return e;let i=n&&t(n),l=s&&t(s),c=r.slice();return i&&l?(ae(i,c,r,o,a),ae(i,r,c,o,a),ae(i,c,r,o,a),ie(l,r,c,o,a),ie(l,c,r,o,a),ie(l,r,c,o,a)):i?(ae(i,r,c,o,a),ae(i,c,r,o,a),ae(i,r,c,o,a)):l&&(ie(l,r,c,o,a),ie(l,c,r,o,a),ie(l,r,c,o,a)),e}}function ae(t,e,n,s,r){for(let o=0,a=s*r;o<a;)t(e,n,o,o+=s,1)}function ie(t,e,n,s,r){for(let o=0,a=s*r;o<s;++o)t(e,n,o,o+a,s)}function zc(t){let e=ta(t);return(n,s,r,o,a)=>{r<<=2,o<<=2,a<<=2,e(n,s,r+0,o+0,a),e(n,s,r+1,o+1,a),e(n,s,r+2,o+2,a),e(n,s,r+3,o+3,a)}}function ta(t){let e=Math.floor(t);if(e===t)return Rc(t);let n=t-e,s=2*t+1;return(r,o,a,i,l)=>{if(!((i-=l)>=a))return;let c=e*o[a],u=l*e,p=u+l;for(let d=a,m=a+u;d<m;d+=l)c+=o[Math.min(i,d)];for(let d=a,m=i;d<=m;d+=l)c+=o[Math.min(i,d+u)],r[d]=(c+n*(o[Math.max(a,d-p)]+o[Math.min(i,d+p)]))/s,c-=o[Math.max(a,d-u)]}}function Rc(t){let e=2*t+1;return(n,s,r,o,a)=>{if(!((o-=a)>=r))return;let i=t*s[r],l=a*t;for(let c=r,u=r+l;c<u;c+=a)i+=s[Math.min(o,c)];for(let c=r,u=o;c<=u;c+=a)i+=s[Math.min(o,c+l)],n[c]=i/e,i-=s[Math.max(r,c-l)]}}var Dc=Array.prototype,Um=Dc.slice,jc=Math.sqrt(50),qc=Math.sqrt(10),Fc=Math.sqrt(2);function yn(t,e,n){let s=(e-t)/Math.max(0,n),r=Math.floor(Math.log10(s)),o=s/Math.pow(10,r),a=o>=jc?10:o>=qc?5:o>=Fc?2:1,i,l,c;return r<0?(c=Math.pow(10,-r)/a,i=Math.round(t*c),l=Math.round(e*c),i/c<t&&++i,l/c>e&&--l,c=-c):(c=Math.pow(10,r)*a,i=Math.round(t/c),l=Math.round(e/c),i*c<t&&++i,l*c>e&&--l),l<i&&.5<=n&&n<2?yn(t,e,n*2):[i,l,c]}function As(t,e,n){if(e=+e,t=+t,n=+n,!(n>0))return[];if(t===e)return[t];let s=e<t,[r,o,a]=s?yn(e,t,n):yn(t,e,n);if(!(o>=r))return[];let i=o-r+1,l=new Array(i);if(s)if(a<0)for(let c=0;c<i;++c)l[c]=(o-c)/-a;else for(let c=0;c<i;++c)l[c]=(o-c)*a;else if(a<0)for(let c=0;c<i;++c)l[c]=(r+c)/-a;else for(let c=0;c<i;++c)l[c]=(r+c)*a;return l}function Ts(t,e,n){return e=+e,t=+t,n=+n,yn(t,e,n)[2]}function Ic(t,e,n){e=+e,t=+t,n=+n;let s=e<t,r=s?Ts(e,t,n):Ts(t,e,n);return(s?-1:1)*(r<0?1/-r:r)}var Km=Wc(Math.random);function Wc(t){return function(e,n=0,s=e.length){let r=s-(n=+n);for(;r;){let o=t()*r--|0,a=e[r+n];e[r+n]=e[o+n],e[o+n]=a}return e}}function de(t,e,n){t.prototype=e.prototype=n,n.constructor=t}function je(t,e){var n=Object.create(t.prototype);for(var s in e)n[s]=e[s];return n}function Ft(){}var Qt=.7,pe=1/Qt,ce="\\s*([+-]?\\d+)\\s*",Le="\\s*([+-]?(?:\\d*\\.)?\\d+(?:[eE][+-]?\\d+)?)\\s*",kt="\\s*([+-]?(?:\\d*\\.)?\\d+(?:[eE][+-]?\\d+)?)%\\s*",Bc=/^#([0-9a-f]{3,8})$/,Hc=new RegExp(`^rgb\\(${ce},${ce},${ce}\\)$`),Uc=new RegExp(`^rgb\\(${kt},${kt},${kt}\\)$`),Kc=new RegExp(`^rgba\\(${ce},${ce},${ce},${Le}\\)$`),Vc=new RegExp(`^rgba\\(${kt},${kt},${kt},${Le}\\)$`),Gc=new RegExp(`^hsl\\(${Le},${kt},${kt}\\)$`),Jc=new RegExp(`^hsla\\(${Le},${kt},${kt},${Le}\\)$`),_o={aliceblue:15792383,antiquewhite:16444375,aqua:65535,aquamarine:8388564,azure:15794175,beige:16119260,bisque:16770244,black:0,blanchedalmond:16772045,blue:255,blueviolet:9055202,brown:10824234,burlywood:14596231,cadetblue:6266528,chartreuse:8388352,chocolate:13789470,coral:16744272,cornflowerblue:6591981,cornsilk:16775388,crimson:14423100,cyan:65535,darkblue:139,darkcyan:35723,darkgoldenrod:12092939,darkgray:11119017,darkgreen:25600,darkgrey:11119017,darkkhaki:12433259,darkmagenta:9109643,darkolivegreen:5597999,darkorange:16747520,darkorchid:10040012,darkred:9109504,darksalmon:15308410,darkseagreen:9419919,darkslateblue:4734347,darkslategray:3100495,darkslategrey:3100495,darkturquoise:52945,darkviolet:9699539,deeppink:16716947,deepskyblue:49151,dimgray:6908265,dimgrey:6908265,dodgerblue:2003199,firebrick:11674146,floralwhite:16775920,forestgreen:2263842,fuchsia:16711935,gainsboro:14474460,ghostwhite:16316671,gold:16766720,goldenrod:14329120,gray:8421504,green:32768,greenyellow:11403055,grey:8421504,honeydew:15794160,hotpink:16738740,indianred:13458524,indigo:4915330,ivory:16777200,khaki:15787660,lavender:15132410,lavenderblush:16773365,lawngreen:8190976,lemonchiffon:16775885,lightblue:11393254,lightcoral:15761536,lightcyan:14745599,lightgoldenrodyellow:16448210,lightgray:13882323,lightgreen:9498256,lightgrey:13882323,lightpink:16758465,lightsalmon:16752762,lightseagreen:2142890,lightskyblue:8900346,lightslategray:7833753,lightslategrey:7833753,lightsteelblue:11584734,lightyellow:16777184,lime:65280,limegreen:3329330,linen:16445670,magenta:16711935,maroon:8388608,mediumaquamarine:6737322,mediumblue:205,mediumorchid:12211667,mediumpurple:9662683,mediumseagreen:3978097,mediumslateblue:8087790,mediumspringgreen:64154,mediumturquoise:4772300,mediumvioletred:13047173,midnightblue:1644912,mintcream:16121850,mistyrose:16770273,moccasin:16770229,navajowhite:16768685,navy:128,oldlace:16643558,olive:8421376,olivedrab:7048739,orange:16753920,orangered:16729344,orchid:14315734,palegoldenrod:15657130,palegreen:10025880,paleturquoise:11529966,palevioletred:14381203,papayawhip:16773077,peachpuff:16767673,peru:13468991,pink:16761035,plum:14524637,powderblue:11591910,purple:8388736,rebeccapurple:6697881,red:16711680,rosybrown:12357519,royalblue:4286945,saddlebrown:9127187,salmon:16416882,sandybrown:16032864,seagreen:3050327,seashell:16774638,sienna:10506797,silver:12632256,skyblue:8900331,slateblue:6970061,slategray:7372944,slategrey:7372944,snow:16775930,springgreen:65407,steelblue:4620980,tan:13808780,teal:32896,thistle:14204888,tomato:16737095,turquoise:4251856,violet:15631086,wheat:16113331,white:16777215,whitesmoke:16119285,yellow:16776960,yellowgreen:10145074};de(Ft,ze,{copy(t){return Object.assign(new this.constructor,this,t)},displayable(){return this.rgb().displayable()},hex:ko,formatHex:ko,formatHex8:Xc,formatHsl:Yc,formatRgb:Mo,toString:Mo});function ko(){return this.rgb().formatHex()}function Xc(){return this.rgb().formatHex8()}function Yc(){return ea(this).formatHsl()}function Mo(){return this.rgb().formatRgb()}function ze(t){var e,n;return t=(t+"").trim().toLowerCase(),(e=Bc.exec(t))?(n=e[1].length,e=parseInt(e[1],16),n===6?So(e):n===3?new st(e>>8&15|e>>4&240,e>>4&15|e&240,(e&15)<<4|e&15,1):n===8?mn(e>>24&255,e>>16&255,e>>8&255,(e&255)/255):n===4?mn(e>>12&15|e>>8&240,e>>8&15|e>>4&240,e>>4&15|e&240,((e&15)<<4|e&15)/255):null):(e=Hc.exec(t))?new st(e[1],e[2],e[3],1):(e=Uc.exec(t))?new st(e[1]*255/100,e[2]*255/100,e[3]*255/100,1):(e=Kc.exec(t))?mn(e[1],e[2],e[3],e[4]):(e=Vc.exec(t))?mn(e[1]*255/100,e[2]*255/100,e[3]*255/100,e[4]):(e=Gc.exec(t))?Ao(e[1],e[2]/100,e[3]/100,1):(e=Jc.exec(t))?Ao(e[1],e[2]/100,e[3]/100,e[4]):_o.hasOwnProperty(t)?So(_o[t]):t==="transparent"?new st(NaN,NaN,NaN,0):null}function So(t){return new st(t>>16&255,t>>8&255,t&255,1)}function mn(t,e,n,s){return s<=0&&(t=e=n=NaN),new st(t,e,n,s)}function qs(t){return t instanceof Ft||(t=ze(t)),t?(t=t.rgb(),new st(t.r,t.g,t.b,t.opacity)):new st}function vn(t,e,n,s){return arguments.length===1?qs(t):new st(t,e,n,s??1)}function st(t,e,n,s){this.r=+t,this.g=+e,this.b=+n,this.opacity=+s}de(st,vn,je(Ft,{brighter(t){return t=t==null?pe:Math.pow(pe,t),new st(this.r*t,this.g*t,this.b*t,this.opacity)},darker(t){return t=t==null?Qt:Math.pow(Qt,t),new st(this.r*t,this.g*t,this.b*t,this.opacity)},rgb(){return this},clamp(){return new st(Xt(this.r),Xt(this.g),Xt(this.b),bn(this.opacity))},displayable(){return-.5<=this.r&&this.r<255.5&&-.5<=this.g&&this.g<255.5&&-.5<=this.b&&this.b<255.5&&0<=this.opacity&&this.opacity<=1},hex:No,formatHex:No,formatHex8:Qc,formatRgb:Co,toString:Co}));function No(){return`#${Jt(this.r)}${Jt(this.g)}${Jt(this.b)}`}function Qc(){return`#${Jt(this.r)}${Jt(this.g)}${Jt(this.b)}${Jt((isNaN(this.opacity)?1:this.opacity)*255)}`}function Co(){let t=bn(this.opacity);return`${t===1?"rgb(":"rgba("}${Xt(this.r)}, ${Xt(this.g)}, ${Xt(this.b)}${t===1?")":`, ${t})`}`}function bn(t){return isNaN(t)?1:Math.max(0,Math.min(1,t))}function Xt(t){return Math.max(0,Math.min(255,Math.round(t)||0))}function Jt(t){return t=Xt(t),(t<16?"0":"")+t.toString(16)}function Ao(t,e,n,s){return s<=0?t=e=n=NaN:n<=0||n>=1?t=e=NaN:e<=0&&(t=NaN),new xt(t,e,n,s)}function ea(t){if(t instanceof xt)return new xt(t.h,t.s,t.l,t.opacity);if(t instanceof Ft||(t=ze(t)),!t)return new xt;if(t instanceof xt)return t;t=t.rgb();var e=t.r/255,n=t.g/255,s=t.b/255,r=Math.min(e,n,s),o=Math.max(e,n,s),a=NaN,i=o-r,l=(o+r)/2;return i?(e===o?a=(n-s)/i+(n<s)*6:n===o?a=(s-e)/i+2:a=(e-n)/i+4,i/=l<.5?o+r:2-o-r,a*=60):i=l>0&&l<1?0:a,new xt(a,i,l,t.opacity)}function Es(t,e,n,s){return arguments.length===1?ea(t):new xt(t,e,n,s??1)}function xt(t,e,n,s){this.h=+t,this.s=+e,this.l=+n,this.opacity=+s}de(xt,Es,je(Ft,{brighter(t){return t=t==null?pe:Math.pow(pe,t),new xt(this.h,this.s,this.l*t,this.opacity)},darker(t){return t=t==null?Qt:Math.pow(Qt,t),new xt(this.h,this.s,this.l*t,this.opacity)},rgb(){var t=this.h%360+(this.h<0)*360,e=isNaN(t)||isNaN(this.s)?0:this.s,n=this.l,s=n+(n<.5?n:1-n)*e,r=2*n-s;return new st(ws(t>=240?t-240:t+120,r,s),ws(t,r,s),ws(t<120?t+240:t-120,r,s),this.opacity)},clamp(){return new xt(To(this.h),fn(this.s),fn(this.l),bn(this.opacity))},displayable(){return(0<=this.s&&this.s<=1||isNaN(this.s))&&0<=this.l&&this.l<=1&&0<=this.opacity&&this.opacity<=1},formatHsl(){let t=bn(this.opacity);return`${t===1?"hsl(":"hsla("}${To(this.h)}, ${fn(this.s)*100}%, ${fn(this.l)*100}%${t===1?")":`, ${t})`}`}}));function To(t){return t=(t||0)%360,t<0?t+360:t}function fn(t){return Math.max(0,Math.min(1,t||0))}function ws(t,e,n){return(t<60?e+(n-e)*t/60:t<180?n:t<240?e+(n-e)*(240-t)/60:e)*255}var na=Math.PI/180,sa=180/Math.PI,wn=18,ra=.96422,oa=1,aa=.82521,ia=4/29,ue=6/29,la=3*ue*ue,Zc=ue*ue*ue;function ca(t){if(t instanceof Mt)return new Mt(t.l,t.a,t.b,t.opacity);if(t instanceof Ot)return ua(t);t instanceof st||(t=qs(t));var e=Ss(t.r),n=Ss(t.g),s=Ss(t.b),r=_s((.2225045*e+.7168786*n+.0606169*s)/oa),o,a;return e===n&&n===s?o=a=r:(o=_s((.4360747*e+.3850649*n+.1430804*s)/ra),a=_s((.0139322*e+.0971045*n+.7141733*s)/aa)),new Mt(116*r-16,500*(o-r),200*(r-a),t.opacity)}function tu(t,e,n,s){return arguments.length===1?ca(t):new Mt(t,e,n,s??1)}function Mt(t,e,n,s){this.l=+t,this.a=+e,this.b=+n,this.opacity=+s}de(Mt,tu,je(Ft,{brighter(t){return new Mt(this.l+wn*(t??1),this.a,this.b,this.opacity)},darker(t){return new Mt(this.l-wn*(t??1),this.a,this.b,this.opacity)},rgb(){var t=(this.l+16)/116,e=isNaN(this.a)?t:t+this.a/500,n=isNaN(this.b)?t:t-this.b/200;return e=ra*ks(e),t=oa*ks(t),n=aa*ks(n),new st(Ms(3.1338561*e-1.6168667*t-.4906146*n),Ms(-.9787684*e+1.9161415*t+.033454*n),Ms(.0719453*e-.2289914*t+1.4052427*n),this.opacity)}}));function _s(t){return t>Zc?Math.pow(t,1/3):t/la+ia}function ks(t){return t>ue?t*t*t:la*(t-ia)}function Ms(t){return 255*(t<=.0031308?12.92*t:1.055*Math.pow(t,1/2.4)-.055)}function Ss(t){return(t/=255)<=.04045?t/12.92:Math.pow((t+.055)/1.055,2.4)}function eu(t){if(t instanceof Ot)return new Ot(t.h,t.c,t.l,t.opacity);if(t instanceof Mt||(t=ca(t)),t.a===0&&t.b===0)return new Ot(NaN,0<t.l&&t.l<100?0:NaN,t.l,t.opacity);var e=Math.atan2(t.b,t.a)*sa;return new Ot(e<0?e+360:e,Math.sqrt(t.a*t.a+t.b*t.b),t.l,t.opacity)}function Os(t,e,n,s){return arguments.length===1?eu(t):new Ot(t,e,n,s??1)}function Ot(t,e,n,s){this.h=+t,this.c=+e,this.l=+n,this.opacity=+s}function ua(t){if(isNaN(t.h))return new Mt(t.l,0,0,t.opacity);var e=t.h*na;return new Mt(t.l,Math.cos(e)*t.c,Math.sin(e)*t.c,t.opacity)}de(Ot,Os,je(Ft,{brighter(t){return new Ot(this.h,this.c,this.l+wn*(t??1),this.opacity)},darker(t){return new Ot(this.h,this.c,this.l-wn*(t??1),this.opacity)},rgb(){return ua(this).rgb()}}));var pa=-.14861,Fs=1.78277,Is=-.29227,Cn=-.90649,Re=1.97294,Eo=Re*Cn,Oo=Re*Fs,Po=Fs*Is-Cn*pa;function nu(t){if(t instanceof Yt)return new Yt(t.h,t.s,t.l,t.opacity);t instanceof st||(t=qs(t));var e=t.r/255,n=t.g/255,s=t.b/255,r=(Po*s+Eo*e-Oo*n)/(Po+Eo-Oo),o=s-r,a=(Re*(n-r)-Is*o)/Cn,i=Math.sqrt(a*a+o*o)/(Re*r*(1-r)),l=i?Math.atan2(a,o)*sa-120:NaN;return new Yt(l<0?l+360:l,i,r,t.opacity)}function Ps(t,e,n,s){return arguments.length===1?nu(t):new Yt(t,e,n,s??1)}function Yt(t,e,n,s){this.h=+t,this.s=+e,this.l=+n,this.opacity=+s}de(Yt,Ps,je(Ft,{brighter(t){return t=t==null?pe:Math.pow(pe,t),new Yt(this.h,this.s,this.l*t,this.opacity)},darker(t){return t=t==null?Qt:Math.pow(Qt,t),new Yt(this.h,this.s,this.l*t,this.opacity)},rgb(){var t=isNaN(this.h)?0:(this.h+120)*na,e=+this.l,n=isNaN(this.s)?0:this.s*e*(1-e),s=Math.cos(t),r=Math.sin(t);return new st(255*(e+n*(pa*s+Fs*r)),255*(e+n*(Is*s+Cn*r)),255*(e+n*(Re*s)),this.opacity)}}));function ha(t,e,n,s,r){var o=t*t,a=o*t;return((1-3*t+3*o-a)*e+(4-6*o+3*a)*n+(1+3*t+3*o-3*a)*s+a*r)/6}function su(t){var e=t.length-1;return function(n){var s=n<=0?n=0:n>=1?(n=1,e-1):Math.floor(n*e),r=t[s],o=t[s+1],a=s>0?t[s-1]:2*r-o,i=s<e-1?t[s+2]:2*o-r;return ha((n-s/e)*e,a,r,o,i)}}function ru(t){var e=t.length;return function(n){var s=Math.floor(((n%=1)<0?++n:n)*e),r=t[(s+e-1)%e],o=t[s%e],a=t[(s+1)%e],i=t[(s+2)%e];return ha((n-s/e)*e,r,o,a,i)}}var An=t=>()=>t;function da(t,e){return function(n){return t+n*e}}function ou(t,e,n){return t=Math.pow(t,n),e=Math.pow(e,n)-t,n=1/n,function(s){return Math.pow(t+s*e,n)}}function Ws(t,e){var n=e-t;return n?da(t,n>180||n<-180?n-360*Math.round(n/360):n):An(isNaN(t)?e:t)}function au(t){return(t=+t)==1?pt:function(e,n){return n-e?ou(e,n,t):An(isNaN(e)?n:e)}}function pt(t,e){var n=e-t;return n?da(t,n):An(isNaN(t)?e:t)}var Lo=(function t(e){var n=au(e);function s(r,o){var a=n((r=vn(r)).r,(o=vn(o)).r),i=n(r.g,o.g),l=n(r.b,o.b),c=pt(r.opacity,o.opacity);return function(u){return r.r=a(u),r.g=i(u),r.b=l(u),r.opacity=c(u),r+""}}return s.gamma=t,s})(1);function ma(t){return function(e){var n=e.length,s=new Array(n),r=new Array(n),o=new Array(n),a,i;for(a=0;a<n;++a)i=vn(e[a]),s[a]=i.r||0,r[a]=i.g||0,o[a]=i.b||0;return s=t(s),r=t(r),o=t(o),i.opacity=1,function(l){return i.r=s(l),i.g=r(l),i.b=o(l),i+""}}}var Vm=ma(su),Gm=ma(ru);function iu(t,e){e||(e=[]);var n=t?Math.min(e.length,t.length):0,s=e.slice(),r;return function(o){for(r=0;r<n;++r)s[r]=t[r]*(1-o)+e[r]*o;return s}}function lu(t){return ArrayBuffer.isView(t)&&!(t instanceof DataView)}function cu(t,e){var n=e?e.length:0,s=t?Math.min(n,t.length):0,r=new Array(s),o=new Array(n),a;for(a=0;a<s;++a)r[a]=Bs(t[a],e[a]);for(;a<n;++a)o[a]=e[a];return function(i){for(a=0;a<s;++a)o[a]=r[a](i);return o}}function uu(t,e){var n=new Date;return t=+t,e=+e,function(s){return n.setTime(t*(1-s)+e*s),n}}function _t(t,e){return t=+t,e=+e,function(n){return t*(1-n)+e*n}}function pu(t,e){var n={},s={},r;(t===null||typeof t!="object")&&(t={}),(e===null||typeof e!="object")&&(e={});for(r in e)r in t?n[r]=Bs(t[r],e[r]):s[r]=e[r];return function(o){for(r in n)s[r]=n[r](o);return s}}var Ls=/[-+]?(?:\d+\.?\d*|\.?\d+)(?:[eE][-+]?\d+)?/g,Ns=new RegExp(Ls.source,"g");function hu(t){return function(){return t}}function du(t){return function(e){return t(e)+""}}function mu(t,e){var n=Ls.lastIndex=Ns.lastIndex=0,s,r,o,a=-1,i=[],l=[];for(t=t+"",e=e+"";(s=Ls.exec(t))&&(r=Ns.exec(e));)(o=r.index)>n&&(o=e.slice(n,o),i[a]?i[a]+=o:i[++a]=o),(s=s[0])===(r=r[0])?i[a]?i[a]+=r:i[++a]=r:(i[++a]=null,l.push({i:a,x:_t(s,r)})),n=Ns.lastIndex;return n<e.length&&(o=e.slice(n),i[a]?i[a]+=o:i[++a]=o),i.length<2?l[0]?du(l[0].x):hu(e):(e=l.length,function(c){for(var u=0,p;u<e;++u)i[(p=l[u]).i]=p.x(c);return i.join("")})}function Bs(t,e){var n=typeof e,s;return e==null||n==="boolean"?An(e):(n==="number"?_t:n==="string"?(s=ze(e))?(e=s,Lo):mu:e instanceof ze?Lo:e instanceof Date?uu:lu(e)?iu:Array.isArray(e)?cu:typeof e.valueOf!="function"&&typeof e.toString!="function"||isNaN(e)?pu:_t)(t,e)}function fu(t,e){return t=+t,e=+e,function(n){return Math.round(t*(1-n)+e*n)}}var zo=180/Math.PI,fa={translateX:0,translateY:0,rotate:0,skewX:0,scaleX:1,scaleY:1};function $a(t,e,n,s,r,o){var a,i,l;return(a=Math.sqrt(t*t+e*e))&&(t/=a,e/=a),(l=t*n+e*s)&&(n-=t*l,s-=e*l),(i=Math.sqrt(n*n+s*s))&&(n/=i,s/=i,l/=i),t*s<e*n&&(t=-t,e=-e,l=-l,a=-a),{translateX:r,translateY:o,rotate:Math.atan2(e,t)*zo,skewX:Math.atan(l)*zo,scaleX:a,scaleY:i}}var $n;function $u(t){let e=new(typeof DOMMatrix=="function"?DOMMatrix:WebKitCSSMatrix)(t+"");return e.isIdentity?fa:$a(e.a,e.b,e.c,e.d,e.e,e.f)}function gu(t){return t==null||($n||($n=document.createElementNS("http://www.w3.org/2000/svg","g")),$n.setAttribute("transform",t),!(t=$n.transform.baseVal.consolidate()))?fa:(t=t.matrix,$a(t.a,t.b,t.c,t.d,t.e,t.f))}function ga(t,e,n,s){function r(c){return c.length?c.pop()+" ":""}function o(c,u,p,d,m,f){if(c!==p||u!==d){var $=m.push("translate(",null,e,null,n);f.push({i:$-4,x:_t(c,p)},{i:$-2,x:_t(u,d)})}else(p||d)&&m.push("translate("+p+e+d+n)}function a(c,u,p,d){c!==u?(c-u>180?u+=360:u-c>180&&(c+=360),d.push({i:p.push(r(p)+"rotate(",null,s)-2,x:_t(c,u)})):u&&p.push(r(p)+"rotate("+u+s)}function i(c,u,p,d){c!==u?d.push({i:p.push(r(p)+"skewX(",null,s)-2,x:_t(c,u)}):u&&p.push(r(p)+"skewX("+u+s)}function l(c,u,p,d,m,f){if(c!==p||u!==d){var $=m.push(r(m)+"scale(",null,",",null,")");f.push({i:$-4,x:_t(c,p)},{i:$-2,x:_t(u,d)})}else(p!==1||d!==1)&&m.push(r(m)+"scale("+p+","+d+")")}return function(c,u){var p=[],d=[];return c=t(c),u=t(u),o(c.translateX,c.translateY,u.translateX,u.translateY,p,d),a(c.rotate,u.rotate,p,d),i(c.skewX,u.skewX,p,d),l(c.scaleX,c.scaleY,u.scaleX,u.scaleY,p,d),c=u=null,function(m){for(var f=-1,$=d.length,g;++f<$;)p[(g=d[f]).i]=g.x(m);return p.join("")}}}var Jm=ga($u,"px, ","px)","deg)"),Xm=ga(gu,", ",")",")"),xu=1e-12;function Ro(t){return((t=Math.exp(t))+1/t)/2}function yu(t){return((t=Math.exp(t))-1/t)/2}function vu(t){return((t=Math.exp(2*t))-1)/(t+1)}var Ym=(function t(e,n,s){function r(o,a){var i=o[0],l=o[1],c=o[2],u=a[0],p=a[1],d=a[2],m=u-i,f=p-l,$=m*m+f*f,g,x;if($<xu)x=Math.log(d/c)/e,g=function(N){return[i+N*m,l+N*f,c*Math.exp(e*N*x)]};else{var v=Math.sqrt($),b=(d*d-c*c+s*$)/(2*c*n*v),y=(d*d-c*c-s*$)/(2*d*n*v),_=Math.log(Math.sqrt(b*b+1)-b),w=Math.log(Math.sqrt(y*y+1)-y);x=(w-_)/e,g=function(N){var M=N*x,T=Ro(_),k=c/(n*v)*(T*vu(e*M+_)-yu(_));return[i+k*m,l+k*f,c*T/Ro(e*M+_)]}}return g.duration=Math.abs(x)*1e3*e/Math.SQRT2,g}return r.rho=function(o){var a=Math.max(.001,+o),i=a*a,l=i*i;return t(a,i,l)},r})(Math.SQRT2,2,4);function xa(t){return function(e,n){var s=t((e=Es(e)).h,(n=Es(n)).h),r=pt(e.s,n.s),o=pt(e.l,n.l),a=pt(e.opacity,n.opacity);return function(i){return e.h=s(i),e.s=r(i),e.l=o(i),e.opacity=a(i),e+""}}}var Qm=xa(Ws),Zm=xa(pt);function ya(t){return function(e,n){var s=t((e=Os(e)).h,(n=Os(n)).h),r=pt(e.c,n.c),o=pt(e.l,n.l),a=pt(e.opacity,n.opacity);return function(i){return e.h=s(i),e.c=r(i),e.l=o(i),e.opacity=a(i),e+""}}}var tf=ya(Ws),ef=ya(pt);function va(t){return(function e(n){n=+n;function s(r,o){var a=t((r=Ps(r)).h,(o=Ps(o)).h),i=pt(r.s,o.s),l=pt(r.l,o.l),c=pt(r.opacity,o.opacity);return function(u){return r.h=a(u),r.s=i(u),r.l=l(Math.pow(u,n)),r.opacity=c(u),r+""}}return s.gamma=e,s})(1)}var nf=va(Ws),sf=va(pt);function bu(t){return Math.abs(t=Math.round(t))>=1e21?t.toLocaleString("en").replace(/,/g,""):t.toString(10)}function _n(t,e){if(!isFinite(t)||t===0)return null;var n=(t=e?t.toExponential(e-1):t.toExponential()).indexOf("e"),s=t.slice(0,n);return[s.length>1?s[0]+s.slice(2):s,+t.slice(n+1)]}function he(t){return t=_n(Math.abs(t)),t?t[1]:NaN}function wu(t,e){return function(n,s){for(var r=n.length,o=[],a=0,i=t[0],l=0;r>0&&i>0&&(l+i+1>s&&(i=Math.max(1,s-l)),o.push(n.substring(r-=i,r+i)),!((l+=i+1)>s));)i=t[a=(a+1)%t.length];return o.reverse().join(e)}}function _u(t){return function(e){return e.replace(/[0-9]/g,function(n){return t[+n]})}}var ku=/^(?:(.)?([<>=^]))?([+\-( ])?([$#])?(0)?(\d+)?(,)?(\.\d+)?(~)?([a-z%])?$/i;function De(t){if(!(e=ku.exec(t)))throw new Error("invalid format: "+t);var e;return new Hs({fill:e[1],align:e[2],sign:e[3],symbol:e[4],zero:e[5],width:e[6],comma:e[7],precision:e[8]&&e[8].slice(1),trim:e[9],type:e[10]})}De.prototype=Hs.prototype;function Hs(t){this.fill=t.fill===void 0?" ":t.fill+"",this.align=t.align===void 0?">":t.align+"",this.sign=t.sign===void 0?"-":t.sign+"",this.symbol=t.symbol===void 0?"":t.symbol+"",this.zero=!!t.zero,this.width=t.width===void 0?void 0:+t.width,this.comma=!!t.comma,this.precision=t.precision===void 0?void 0:+t.precision,this.trim=!!t.trim,this.type=t.type===void 0?"":t.type+""}Hs.prototype.toString=function(){return this.fill+this.align+this.sign+this.symbol+(this.zero?"0":"")+(this.width===void 0?"":Math.max(1,this.width|0))+(this.comma?",":"")+(this.precision===void 0?"":"."+Math.max(0,this.precision|0))+(this.trim?"~":"")+this.type};function Mu(t){t:for(var e=t.length,n=1,s=-1,r;n<e;++n)switch(t[n]){case".":s=r=n;break;case"0":s===0&&(s=n),r=n;break;default:if(!+t[n])break t;s>0&&(s=0);break}return s>0?t.slice(0,s)+t.slice(r+1):t}var kn;function Su(t,e){var n=_n(t,e);if(!n)return kn=void 0,t.toPrecision(e);var s=n[0],r=n[1],o=r-(kn=Math.max(-8,Math.min(8,Math.floor(r/3)))*3)+1,a=s.length;return o===a?s:o>a?s+new Array(o-a+1).join("0"):o>0?s.slice(0,o)+"."+s.slice(o):"0."+new Array(1-o).join("0")+_n(t,Math.max(0,e+o-1))[0]}function Do(t,e){var n=_n(t,e);if(!n)return t+"";var s=n[0],r=n[1];return r<0?"0."+new Array(-r).join("0")+s:s.length>r+1?s.slice(0,r+1)+"."+s.slice(r+1):s+new Array(r-s.length+2).join("0")}var jo={"%":(t,e)=>(t*100).toFixed(e),b:t=>Math.round(t).toString(2),c:t=>t+"",d:bu,e:(t,e)=>t.toExponential(e),f:(t,e)=>t.toFixed(e),g:(t,e)=>t.toPrecision(e),o:t=>Math.round(t).toString(8),p:(t,e)=>Do(t*100,e),r:Do,s:Su,X:t=>Math.round(t).toString(16).toUpperCase(),x:t=>Math.round(t).toString(16)};function qo(t){return t}var Fo=Array.prototype.map,Io=["y","z","a","f","p","n","µ","m","","k","M","G","T","P","E","Z","Y"];function Nu(t){var e=t.grouping===void 0||t.thousands===void 0?qo:wu(Fo.call(t.grouping,Number),t.thousands+""),n=t.currency===void 0?"":t.currency[0]+"",s=t.currency===void 0?"":t.currency[1]+"",r=t.decimal===void 0?".":t.decimal+"",o=t.numerals===void 0?qo:_u(Fo.call(t.numerals,String)),a=t.percent===void 0?"%":t.percent+"",i=t.minus===void 0?"−":t.minus+"",l=t.nan===void 0?"NaN":t.nan+"";function c(p,d){p=De(p);var m=p.fill,f=p.align,$=p.sign,g=p.symbol,x=p.zero,v=p.width,b=p.comma,y=p.precision,_=p.trim,w=p.type;w==="n"?(b=!0,w="g"):jo[w]||(y===void 0&&(y=12),_=!0,w="g"),(x||m==="0"&&f==="=")&&(x=!0,m="0",f="=");var N=(d&&d.prefix!==void 0?d.prefix:"")+(g==="$"?n:g==="#"&&/[boxX]/.test(w)?"0"+w.toLowerCase():""),M=(g==="$"?s:/[%p]/.test(w)?a:"")+(d&&d.suffix!==void 0?d.suffix:""),T=jo[w],k=/[defgprs%]/.test(w);y=y===void 0?6:/[gprs]/.test(w)?Math.max(1,Math.min(21,y)):Math.max(0,Math.min(20,y));function P(C){var D=N,B=M,E,A,S;if(w==="c")B=T(C)+B,C="";else{C=+C;var O=C<0||1/C<0;if(C=isNaN(C)?l:T(Math.abs(C),y),_&&(C=Mu(C)),O&&+C==0&&$!=="+"&&(O=!1),D=(O?$==="("?$:i:$==="-"||$==="("?"":$)+D,B=(w==="s"&&!isNaN(C)&&kn!==void 0?Io[8+kn/3]:"")+B+(O&&$==="("?")":""),k){for(E=-1,A=C.length;++E<A;)if(S=C.charCodeAt(E),48>S||S>57){B=(S===46?r+C.slice(E+1):C.slice(E))+B,C=C.slice(0,E);break}}}b&&!x&&(C=e(C,1/0));var L=D.length+C.length+B.length,F=L<v?new Array(v-L+1).join(m):"";switch(b&&x&&(C=e(F+C,F.length?v-B.length:1/0),F=""),f){case"<":C=D+C+B+F;break;case"=":C=D+F+C+B;break;case"^":C=F.slice(0,L=F.length>>1)+D+C+B+F.slice(L);break;default:C=F+D+C+B;break}return o(C)}return P.toString=function(){return p+""},P}function u(p,d){var m=Math.max(-8,Math.min(8,Math.floor(he(d)/3)))*3,f=Math.pow(10,-m),$=c((p=De(p),p.type="f",p),{suffix:Io[8+m/3]});return function(g){return $(f*g)}}return{format:c,formatPrefix:u}}var gn,Us,ba;Cu({thousands:",",grouping:[3],currency:["$",""]});function Cu(t){return gn=Nu(t),Us=gn.format,ba=gn.formatPrefix,gn}function Au(t){return Math.max(0,-he(Math.abs(t)))}function Tu(t,e){return Math.max(0,Math.max(-8,Math.min(8,Math.floor(he(e)/3)))*3-he(Math.abs(t)))}function Eu(t,e){return t=Math.abs(t),e=Math.abs(e)-t,Math.max(0,he(e)-he(t))+1}function wa(t,e){switch(arguments.length){case 0:break;case 1:this.range(t);break;default:this.range(e).domain(t);break}return this}function Ou(t){return function(){return t}}function Pu(t){return+t}var Wo=[0,1];function le(t){return t}function zs(t,e){return(e-=t=+t)?function(n){return(n-t)/e}:Ou(isNaN(e)?NaN:.5)}function Lu(t,e){var n;return t>e&&(n=t,t=e,e=n),function(s){return Math.max(t,Math.min(e,s))}}function zu(t,e,n){var s=t[0],r=t[1],o=e[0],a=e[1];return r<s?(s=zs(r,s),o=n(a,o)):(s=zs(s,r),o=n(o,a)),function(i){return o(s(i))}}function Ru(t,e,n){var s=Math.min(t.length,e.length)-1,r=new Array(s),o=new Array(s),a=-1;for(t[s]<t[0]&&(t=t.slice().reverse(),e=e.slice().reverse());++a<s;)r[a]=zs(t[a],t[a+1]),o[a]=n(e[a],e[a+1]);return function(i){var l=Lc(t,i,1,s)-1;return o[l](r[l](i))}}function _a(t,e){return e.domain(t.domain()).range(t.range()).interpolate(t.interpolate()).clamp(t.clamp()).unknown(t.unknown())}function ka(){var t=Wo,e=Wo,n=Bs,s,r,o,a=le,i,l,c;function u(){var d=Math.min(t.length,e.length);return a!==le&&(a=Lu(t[0],t[d-1])),i=d>2?Ru:zu,l=c=null,p}function p(d){return d==null||isNaN(d=+d)?o:(l||(l=i(t.map(s),e,n)))(s(a(d)))}return p.invert=function(d){return a(r((c||(c=i(e,t.map(s),_t)))(d)))},p.domain=function(d){return arguments.length?(t=Array.from(d,Pu),u()):t.slice()},p.range=function(d){return arguments.length?(e=Array.from(d),u()):e.slice()},p.rangeRound=function(d){return e=Array.from(d),n=fu,u()},p.clamp=function(d){return arguments.length?(a=d?!0:le,u()):a!==le},p.interpolate=function(d){return arguments.length?(n=d,u()):n},p.unknown=function(d){return arguments.length?(o=d,p):o},function(d,m){return s=d,r=m,u()}}function Du(){return ka()(le,le)}function ju(t,e,n,s){var r=Ic(t,e,n),o;switch(s=De(s??",f"),s.type){case"s":{var a=Math.max(Math.abs(t),Math.abs(e));return s.precision==null&&!isNaN(o=Tu(r,a))&&(s.precision=o),ba(s,a)}case"":case"e":case"g":case"p":case"r":{s.precision==null&&!isNaN(o=Eu(r,Math.max(Math.abs(t),Math.abs(e))))&&(s.precision=o-(s.type==="e"));break}case"f":case"%":{s.precision==null&&!isNaN(o=Au(r))&&(s.precision=o-(s.type==="%")*2);break}}return Us(s)}function qu(t){var e=t.domain;return t.ticks=function(n){var s=e();return As(s[0],s[s.length-1],n??10)},t.tickFormat=function(n,s){var r=e();return ju(r[0],r[r.length-1],n??10,s)},t.nice=function(n){n==null&&(n=10);var s=e(),r=0,o=s.length-1,a=s[r],i=s[o],l,c,u=10;for(i<a&&(c=a,a=i,i=c,c=r,r=o,o=c);u-- >0;){if(c=Ts(a,i,n),c===l)return s[r]=a,s[o]=i,e(s);if(c>0)a=Math.floor(a/c)*c,i=Math.ceil(i/c)*c;else if(c<0)a=Math.ceil(a*c)/c,i=Math.floor(i*c)/c;else break;l=c}return t},t}function qe(){var t=Du();return t.copy=function(){return _a(t,qe())},wa.apply(t,arguments),qu(t)}function Fu(t,e){t=t.slice();var n=0,s=t.length-1,r=t[n],o=t[s],a;return o<r&&(a=n,n=s,s=a,a=r,r=o,o=a),t[n]=e.floor(r),t[s]=e.ceil(o),t}function Bo(t){return Math.log(t)}function Ho(t){return Math.exp(t)}function Iu(t){return-Math.log(-t)}function Wu(t){return-Math.exp(-t)}function Bu(t){return isFinite(t)?+("1e"+t):t<0?0:t}function Hu(t){return t===10?Bu:t===Math.E?Math.exp:e=>Math.pow(t,e)}function Uu(t){return t===Math.E?Math.log:t===10&&Math.log10||t===2&&Math.log2||(t=Math.log(t),e=>Math.log(e)/t)}function Uo(t){return(e,n)=>-t(-e,n)}function Ku(t){let e=t(Bo,Ho),n=e.domain,s=10,r,o;function a(){return r=Uu(s),o=Hu(s),n()[0]<0?(r=Uo(r),o=Uo(o),t(Iu,Wu)):t(Bo,Ho),e}return e.base=function(i){return arguments.length?(s=+i,a()):s},e.domain=function(i){return arguments.length?(n(i),a()):n()},e.ticks=i=>{let l=n(),c=l[0],u=l[l.length-1],p=u<c;p&&([c,u]=[u,c]);let d=r(c),m=r(u),f,$,g=i==null?10:+i,x=[];if(!(s%1)&&m-d<g){if(d=Math.floor(d),m=Math.ceil(m),c>0){for(;d<=m;++d)for(f=1;f<s;++f)if($=d<0?f/o(-d):f*o(d),!($<c)){if($>u)break;x.push($)}}else for(;d<=m;++d)for(f=s-1;f>=1;--f)if($=d>0?f/o(-d):f*o(d),!($<c)){if($>u)break;x.push($)}x.length*2<g&&(x=As(c,u,g))}else x=As(d,m,Math.min(m-d,g)).map(o);return p?x.reverse():x},e.tickFormat=(i,l)=>{if(i==null&&(i=10),l==null&&(l=s===10?"s":","),typeof l!="function"&&(!(s%1)&&(l=De(l)).precision==null&&(l.trim=!0),l=Us(l)),i===1/0)return l;let c=Math.max(1,s*i/e.ticks().length);return u=>{let p=u/o(Math.round(r(u)));return p*s<s-.5&&(p*=s),p<=c?l(u):""}},e.nice=()=>n(Fu(n(),{floor:i=>o(Math.floor(r(i))),ceil:i=>o(Math.ceil(r(i)))})),e}function Ks(){let t=Ku(ka()).domain([1,10]);return t.copy=()=>_a(t,Ks()).base(t.base()),wa.apply(t,arguments),t}var Pe=Math.PI,Rs=2*Pe,Gt=1e-6,Vu=Rs-Gt;function Ma(t){this._+=t[0];for(let e=1,n=t.length;e<n;++e)this._+=arguments[e]+t[e]}function Gu(t){let e=Math.floor(t);if(!(e>=0))throw new Error(`invalid digits: ${t}`);if(e>15)return Ma;let n=10**e;return function(s){this._+=s[0];for(let r=1,o=s.length;r<o;++r)this._+=Math.round(arguments[r]*n)/n+s[r]}}function Sa(t,e,n,s){return t===n&&e===s}function Ju(t){let e=Math.floor(t);if(!(e<=15))return Sa;let n=10**e,s=function(r){return Math.round(r*n)};return function(r,o,a,i){return s(r)===s(a)&&s(o)===s(i)}}var Vs=class{constructor(t){this._x0=this._y0=this._x1=this._y1=null,this._="",this._append=t==null?Ma:Gu(t),this._equal=t==null?Sa:Ju(t)}moveTo(t,e){this._append`M${this._x0=this._x1=+t},${this._y0=this._y1=+e}`}closePath(){this._x1!==null&&(this._x1=this._x0,this._y1=this._y0,this._append`Z`)}lineTo(t,e){this._append`L${this._x1=+t},${this._y1=+e}`}quadraticCurveTo(t,e,n,s){this._append`Q${+t},${+e},${this._x1=+n},${this._y1=+s}`}bezierCurveTo(t,e,n,s,r,o){this._append`C${+t},${+e},${+n},${+s},${this._x1=+r},${this._y1=+o}`}arcTo(t,e,n,s,r){if(t=+t,e=+e,n=+n,s=+s,r=+r,r<0)throw new Error(`negative radius: ${r}`);let o=this._x1,a=this._y1,i=n-t,l=s-e,c=o-t,u=a-e,p=c*c+u*u;if(this._x1===null)this._append`M${this._x1=t},${this._y1=e}`;else if(p>Gt)if(!(Math.abs(u*i-l*c)>Gt)||!r)this._append`L${this._x1=t},${this._y1=e}`;else{let d=n-o,m=s-a,f=i*i+l*l,$=d*d+m*m,g=Math.sqrt(f),x=Math.sqrt(p),v=r*Math.tan((Pe-Math.acos((f+p-$)/(2*g*x)))/2),b=v/x,y=v/g;Math.abs(b-1)>Gt&&this._append`L${t+b*c},${e+b*u}`,this._append`A${r},${r},0,0,${+(u*d>c*m)},${this._x1=t+y*i},${this._y1=e+y*l}`}}arc(t,e,n,s,r,o){if(t=+t,e=+e,n=+n,o=!!o,n<0)throw new Error(`negative radius: ${n}`);let a=n*Math.cos(s),i=n*Math.sin(s),l=t+a,c=e+i,u=1^o,p=o?s-r:r-s;if(this._x1===null?this._append`M${l},${c}`:(Math.abs(this._x1-l)>Gt||Math.abs(this._y1-c)>Gt)&&this._append`L${l},${c}`,!!n){if(p<0&&(p=p%Rs+Rs),p>Vu)this._append`A${n},${n},0,1,${u},${t-a},${e-i}A${n},${n},0,1,${u},${this._x1=l},${this._y1=c}`;else if(p>Gt){let d=t+n*Math.cos(r),m=e+n*Math.sin(r);if(p>=Pe&&this._equal(l,c,d,m)){p/=2;let f=s+p;this._append`A${n},${n},0,${+(p>=Pe)},${u},${t+n*Math.cos(f)},${e+n*Math.sin(f)}`}this._append`A${n},${n},0,${+(p>=Pe)},${u},${this._x1=d},${this._y1=m}`}}}rect(t,e,n,s){this._append`M${this._x0=this._x1=+t},${this._y0=this._y1=+e}h${n=+n}v${+s}h${-n}Z`}toString(){return this._}};function Xu(){return new Vs}Xu.prototype=Vs.prototype;function it(t){return function(){return t}}var Yu=Math.cos,Ds=Math.sin,me=Math.sqrt,Ko=1e-12,Mn=Math.PI,rf=Mn/2,Na=2*Mn;function Ca(t){let e=3;return t.digits=function(n){if(!arguments.length)return e;if(n==null)e=null;else{let s=Math.floor(n);if(!(s>=0))throw new RangeError(`invalid digits: ${n}`);e=s}return t},()=>new Vs(e)}var of=Array.prototype.slice;function Aa(t){return typeof t=="object"&&"length"in t?t:Array.from(t)}function Ta(t){this._context=t}Ta.prototype={areaStart:function(){this._line=0},areaEnd:function(){this._line=NaN},lineStart:function(){this._point=0},lineEnd:function(){(this._line||this._line!==0&&this._point===1)&&this._context.closePath(),this._line=1-this._line},point:function(t,e){switch(t=+t,e=+e,this._point){case 0:this._point=1,this._line?this._context.lineTo(t,e):this._context.moveTo(t,e);break;case 1:this._point=2;default:this._context.lineTo(t,e);break}}};function Gs(t){return new Ta(t)}function Ea(t){return t[0]}function Oa(t){return t[1]}function Fe(t,e){var n=it(!0),s=null,r=Gs,o=null,a=Ca(i);t=typeof t=="function"?t:t===void 0?Ea:it(t),e=typeof e=="function"?e:e===void 0?Oa:it(e);function i(l){var c,u=(l=Aa(l)).length,p,d=!1,m;for(s==null&&(o=r(m=a())),c=0;c<=u;++c)!(c<u&&n(p=l[c],c,l))===d&&((d=!d)?o.lineStart():o.lineEnd()),d&&o.point(+t(p,c,l),+e(p,c,l));if(m)return o=null,m+""||null}return i.x=function(l){return arguments.length?(t=typeof l=="function"?l:it(+l),i):t},i.y=function(l){return arguments.length?(e=typeof l=="function"?l:it(+l),i):e},i.defined=function(l){return arguments.length?(n=typeof l=="function"?l:it(!!l),i):n},i.curve=function(l){return arguments.length?(r=l,s!=null&&(o=r(s)),i):r},i.context=function(l){return arguments.length?(l==null?s=o=null:o=r(s=l),i):s},i}function Pa(t,e,n){var s=null,r=it(!0),o=null,a=Gs,i=null,l=Ca(c);t=typeof t=="function"?t:t===void 0?Ea:it(+t),e=typeof e=="function"?e:it(e===void 0?0:+e),n=typeof n=="function"?n:n===void 0?Oa:it(+n);function c(p){var d,m,f,$=(p=Aa(p)).length,g,x=!1,v,b=new Array($),y=new Array($);for(o==null&&(i=a(v=l())),d=0;d<=$;++d){if(!(d<$&&r(g=p[d],d,p))===x)if(x=!x)m=d,i.areaStart(),i.lineStart();else{for(i.lineEnd(),i.lineStart(),f=d-1;f>=m;--f)i.point(b[f],y[f]);i.lineEnd(),i.areaEnd()}x&&(b[d]=+t(g,d,p),y[d]=+e(g,d,p),i.point(s?+s(g,d,p):b[d],n?+n(g,d,p):y[d]))}if(v)return i=null,v+""||null}function u(){return Fe().defined(r).curve(a).context(o)}return c.x=function(p){return arguments.length?(t=typeof p=="function"?p:it(+p),s=null,c):t},c.x0=function(p){return arguments.length?(t=typeof p=="function"?p:it(+p),c):t},c.x1=function(p){return arguments.length?(s=p==null?null:typeof p=="function"?p:it(+p),c):s},c.y=function(p){return arguments.length?(e=typeof p=="function"?p:it(+p),n=null,c):e},c.y0=function(p){return arguments.length?(e=typeof p=="function"?p:it(+p),c):e},c.y1=function(p){return arguments.length?(n=p==null?null:typeof p=="function"?p:it(+p),c):n},c.lineX0=c.lineY0=function(){return u().x(t).y(e)},c.lineY1=function(){return u().x(t).y(n)},c.lineX1=function(){return u().x(s).y(e)},c.defined=function(p){return arguments.length?(r=typeof p=="function"?p:it(!!p),c):r},c.curve=function(p){return arguments.length?(a=p,o!=null&&(i=a(o)),c):a},c.context=function(p){return arguments.length?(p==null?o=i=null:i=a(o=p),c):o},c}var af=Qu(Gs);function La(t){this._curve=t}La.prototype={areaStart:function(){this._curve.areaStart()},areaEnd:function(){this._curve.areaEnd()},lineStart:function(){this._curve.lineStart()},lineEnd:function(){this._curve.lineEnd()},point:function(t,e){this._curve.point(e*Math.sin(t),e*-Math.cos(t))}};function Qu(t){function e(n){return new La(t(n))}return e._curve=t,e}var lf=me(3),Zu=me(1/3),cf=Zu*2,za=Ds(Mn/10)/Ds(7*Mn/10),uf=Ds(Na/10)*za,pf=-Yu(Na/10)*za,hf=me(3),df=me(3),mf=me(3)/2,tp=1/me(12),ff=(tp/2+1)*3;function qt(){}function Sn(t,e,n){t._context.bezierCurveTo((2*t._x0+t._x1)/3,(2*t._y0+t._y1)/3,(t._x0+2*t._x1)/3,(t._y0+2*t._y1)/3,(t._x0+4*t._x1+e)/6,(t._y0+4*t._y1+n)/6)}function Js(t){this._context=t}Js.prototype={areaStart:function(){this._line=0},areaEnd:function(){this._line=NaN},lineStart:function(){this._x0=this._x1=this._y0=this._y1=NaN,this._point=0},lineEnd:function(){switch(this._point){case 3:Sn(this,this._x1,this._y1);case 2:this._context.lineTo(this._x1,this._y1);break}(this._line||this._line!==0&&this._point===1)&&this._context.closePath(),this._line=1-this._line},point:function(t,e){switch(t=+t,e=+e,this._point){case 0:this._point=1,this._line?this._context.lineTo(t,e):this._context.moveTo(t,e);break;case 1:this._point=2;break;case 2:this._point=3,this._context.lineTo((5*this._x0+this._x1)/6,(5*this._y0+this._y1)/6);default:Sn(this,t,e);break}this._x0=this._x1,this._x1=t,this._y0=this._y1,this._y1=e}};function ep(t){this._context=t}ep.prototype={areaStart:qt,areaEnd:qt,lineStart:function(){this._x0=this._x1=this._x2=this._x3=this._x4=this._y0=this._y1=this._y2=this._y3=this._y4=NaN,this._point=0},lineEnd:function(){switch(this._point){case 1:{this._context.moveTo(this._x2,this._y2),this._context.closePath();break}case 2:{this._context.moveTo((this._x2+2*this._x3)/3,(this._y2+2*this._y3)/3),this._context.lineTo((this._x3+2*this._x2)/3,(this._y3+2*this._y2)/3),this._context.closePath();break}case 3:{this.point(this._x2,this._y2),this.point(this._x3,this._y3),this.point(this._x4,this._y4);break}}},point:function(t,e){switch(t=+t,e=+e,this._point){case 0:this._point=1,this._x2=t,this._y2=e;break;case 1:this._point=2,this._x3=t,this._y3=e;break;case 2:this._point=3,this._x4=t,this._y4=e,this._context.moveTo((this._x0+4*this._x1+t)/6,(this._y0+4*this._y1+e)/6);break;default:Sn(this,t,e);break}this._x0=this._x1,this._x1=t,this._y0=this._y1,this._y1=e}};function np(t){this._context=t}np.prototype={areaStart:function(){this._line=0},areaEnd:function(){this._line=NaN},lineStart:function(){this._x0=this._x1=this._y0=this._y1=NaN,this._point=0},lineEnd:function(){(this._line||this._line!==0&&this._point===3)&&this._context.closePath(),this._line=1-this._line},point:function(t,e){switch(t=+t,e=+e,this._point){case 0:this._point=1;break;case 1:this._point=2;break;case 2:this._point=3;var n=(this._x0+4*this._x1+t)/6,s=(this._y0+4*this._y1+e)/6;this._line?this._context.lineTo(n,s):this._context.moveTo(n,s);break;case 3:this._point=4;default:Sn(this,t,e);break}this._x0=this._x1,this._x1=t,this._y0=this._y1,this._y1=e}};function Ra(t,e){this._basis=new Js(t),this._beta=e}Ra.prototype={lineStart:function(){this._x=[],this._y=[],this._basis.lineStart()},lineEnd:function(){var t=this._x,e=this._y,n=t.length-1;if(n>0)for(var s=t[0],r=e[0],o=t[n]-s,a=e[n]-r,i=-1,l;++i<=n;)l=i/n,this._basis.point(this._beta*t[i]+(1-this._beta)*(s+l*o),this._beta*e[i]+(1-this._beta)*(r+l*a));this._x=this._y=null,this._basis.lineEnd()},point:function(t,e){this._x.push(+t),this._y.push(+e)}};var $f=(function t(e){function n(s){return e===1?new Js(s):new Ra(s,e)}return n.beta=function(s){return t(+s)},n})(.85);function Nn(t,e,n){t._context.bezierCurveTo(t._x1+t._k*(t._x2-t._x0),t._y1+t._k*(t._y2-t._y0),t._x2+t._k*(t._x1-e),t._y2+t._k*(t._y1-n),t._x2,t._y2)}function Xs(t,e){this._context=t,this._k=(1-e)/6}Xs.prototype={areaStart:function(){this._line=0},areaEnd:function(){this._line=NaN},lineStart:function(){this._x0=this._x1=this._x2=this._y0=this._y1=this._y2=NaN,this._point=0},lineEnd:function(){switch(this._point){case 2:this._context.lineTo(this._x2,this._y2);break;case 3:Nn(this,this._x1,this._y1);break}(this._line||this._line!==0&&this._point===1)&&this._context.closePath(),this._line=1-this._line},point:function(t,e){switch(t=+t,e=+e,this._point){case 0:this._point=1,this._line?this._context.lineTo(t,e):this._context.moveTo(t,e);break;case 1:this._point=2,this._x1=t,this._y1=e;break;case 2:this._point=3;default:Nn(this,t,e);break}this._x0=this._x1,this._x1=this._x2,this._x2=t,this._y0=this._y1,this._y1=this._y2,this._y2=e}};var gf=(function t(e){function n(s){return new Xs(s,e)}return n.tension=function(s){return t(+s)},n})(0);function Ys(t,e){this._context=t,this._k=(1-e)/6}Ys.prototype={areaStart:qt,areaEnd:qt,lineStart:function(){this._x0=this._x1=this._x2=this._x3=this._x4=this._x5=this._y0=this._y1=this._y2=this._y3=this._y4=this._y5=NaN,this._point=0},lineEnd:function(){switch(this._point){case 1:{this._context.moveTo(this._x3,this._y3),this._context.closePath();break}case 2:{this._context.lineTo(this._x3,this._y3),this._context.closePath();break}case 3:{this.point(this._x3,this._y3),this.point(this._x4,this._y4),this.point(this._x5,this._y5);break}}},point:function(t,e){switch(t=+t,e=+e,this._point){case 0:this._point=1,this._x3=t,this._y3=e;break;case 1:this._point=2,this._context.moveTo(this._x4=t,this._y4=e);break;case 2:this._point=3,this._x5=t,this._y5=e;break;default:Nn(this,t,e);break}this._x0=this._x1,this._x1=this._x2,this._x2=t,this._y0=this._y1,this._y1=this._y2,this._y2=e}};var xf=(function t(e){function n(s){return new Ys(s,e)}return n.tension=function(s){return t(+s)},n})(0);function Qs(t,e){this._context=t,this._k=(1-e)/6}Qs.prototype={areaStart:function(){this._line=0},areaEnd:function(){this._line=NaN},lineStart:function(){this._x0=this._x1=this._x2=this._y0=this._y1=this._y2=NaN,this._point=0},lineEnd:function(){(this._line||this._line!==0&&this._point===3)&&this._context.closePath(),this._line=1-this._line},point:function(t,e){switch(t=+t,e=+e,this._point){case 0:this._point=1;break;case 1:this._point=2;break;case 2:this._point=3,this._line?this._context.lineTo(this._x2,this._y2):this._context.moveTo(this._x2,this._y2);break;case 3:this._point=4;default:Nn(this,t,e);break}this._x0=this._x1,this._x1=this._x2,this._x2=t,this._y0=this._y1,this._y1=this._y2,this._y2=e}};var yf=(function t(e){function n(s){return new Qs(s,e)}return n.tension=function(s){return t(+s)},n})(0);function Zs(t,e,n){var s=t._x1,r=t._y1,o=t._x2,a=t._y2;if(t._l01_a>Ko){var i=2*t._l01_2a+3*t._l01_a*t._l12_a+t._l12_2a,l=3*t._l01_a*(t._l01_a+t._l12_a);s=(s*i-t._x0*t._l12_2a+t._x2*t._l01_2a)/l,r=(r*i-t._y0*t._l12_2a+t._y2*t._l01_2a)/l}if(t._l23_a>Ko){var c=2*t._l23_2a+3*t._l23_a*t._l12_a+t._l12_2a,u=3*t._l23_a*(t._l23_a+t._l12_a);o=(o*c+t._x1*t._l23_2a-e*t._l12_2a)/u,a=(a*c+t._y1*t._l23_2a-n*t._l12_2a)/u}t._context.bezierCurveTo(s,r,o,a,t._x2,t._y2)}function Da(t,e){this._context=t,this._alpha=e}Da.prototype={areaStart:function(){this._line=0},areaEnd:function(){this._line=NaN},lineStart:function(){this._x0=this._x1=this._x2=this._y0=this._y1=this._y2=NaN,this._l01_a=this._l12_a=this._l23_a=this._l01_2a=this._l12_2a=this._l23_2a=this._point=0},lineEnd:function(){switch(this._point){case 2:this._context.lineTo(this._x2,this._y2);break;case 3:this.point(this._x2,this._y2);break}(this._line||this._line!==0&&this._point===1)&&this._context.closePath(),this._line=1-this._line},point:function(t,e){if(t=+t,e=+e,this._point){var n=this._x2-t,s=this._y2-e;this._l23_a=Math.sqrt(this._l23_2a=Math.pow(n*n+s*s,this._alpha))}switch(this._point){case 0:this._point=1,this._line?this._context.lineTo(t,e):this._context.moveTo(t,e);break;case 1:this._point=2;break;case 2:this._point=3;default:Zs(this,t,e);break}this._l01_a=this._l12_a,this._l12_a=this._l23_a,this._l01_2a=this._l12_2a,this._l12_2a=this._l23_2a,this._x0=this._x1,this._x1=this._x2,this._x2=t,this._y0=this._y1,this._y1=this._y2,this._y2=e}};var vf=(function t(e){function n(s){return e?new Da(s,e):new Xs(s,0)}return n.alpha=function(s){return t(+s)},n})(.5);function ja(t,e){this._context=t,this._alpha=e}ja.prototype={areaStart:qt,areaEnd:qt,lineStart:function(){this._x0=this._x1=this._x2=this._x3=this._x4=this._x5=this._y0=this._y1=this._y2=this._y3=this._y4=this._y5=NaN,this._l01_a=this._l12_a=this._l23_a=this._l01_2a=this._l12_2a=this._l23_2a=this._point=0},lineEnd:function(){switch(this._point){case 1:{this._context.moveTo(this._x3,this._y3),this._context.closePath();break}case 2:{this._context.lineTo(this._x3,this._y3),this._context.closePath();break}case 3:{this.point(this._x3,this._y3),this.point(this._x4,this._y4),this.point(this._x5,this._y5);break}}},point:function(t,e){if(t=+t,e=+e,this._point){var n=this._x2-t,s=this._y2-e;this._l23_a=Math.sqrt(this._l23_2a=Math.pow(n*n+s*s,this._alpha))}switch(this._point){case 0:this._point=1,this._x3=t,this._y3=e;break;case 1:this._point=2,this._context.moveTo(this._x4=t,this._y4=e);break;case 2:this._point=3,this._x5=t,this._y5=e;break;default:Zs(this,t,e);break}this._l01_a=this._l12_a,this._l12_a=this._l23_a,this._l01_2a=this._l12_2a,this._l12_2a=this._l23_2a,this._x0=this._x1,this._x1=this._x2,this._x2=t,this._y0=this._y1,this._y1=this._y2,this._y2=e}};var bf=(function t(e){function n(s){return e?new ja(s,e):new Ys(s,0)}return n.alpha=function(s){return t(+s)},n})(.5);function qa(t,e){this._context=t,this._alpha=e}qa.prototype={areaStart:function(){this._line=0},areaEnd:function(){this._line=NaN},lineStart:function(){this._x0=this._x1=this._x2=this._y0=this._y1=this._y2=NaN,this._l01_a=this._l12_a=this._l23_a=this._l01_2a=this._l12_2a=this._l23_2a=this._point=0},lineEnd:function(){(this._line||this._line!==0&&this._point===3)&&this._context.closePath(),this._line=1-this._line},point:function(t,e){if(t=+t,e=+e,this._point){var n=this._x2-t,s=this._y2-e;this._l23_a=Math.sqrt(this._l23_2a=Math.pow(n*n+s*s,this._alpha))}switch(this._point){case 0:this._point=1;break;case 1:this._point=2;break;case 2:this._point=3,this._line?this._context.lineTo(this._x2,this._y2):this._context.moveTo(this._x2,this._y2);break;case 3:this._point=4;default:Zs(this,t,e);break}this._l01_a=this._l12_a,this._l12_a=this._l23_a,this._l01_2a=this._l12_2a,this._l12_2a=this._l23_2a,this._x0=this._x1,this._x1=this._x2,this._x2=t,this._y0=this._y1,this._y1=this._y2,this._y2=e}};var wf=(function t(e){function n(s){return e?new qa(s,e):new Qs(s,0)}return n.alpha=function(s){return t(+s)},n})(.5);function sp(t){this._context=t}sp.prototype={areaStart:qt,areaEnd:qt,lineStart:function(){this._point=0},lineEnd:function(){this._point&&this._context.closePath()},point:function(t,e){t=+t,e=+e,this._point?this._context.lineTo(t,e):(this._point=1,this._context.moveTo(t,e))}};function Vo(t){return t<0?-1:1}function Go(t,e,n){var s=t._x1-t._x0,r=e-t._x1,o=(t._y1-t._y0)/(s||r<0&&-0),a=(n-t._y1)/(r||s<0&&-0),i=(o*r+a*s)/(s+r);return(Vo(o)+Vo(a))*Math.min(Math.abs(o),Math.abs(a),.5*Math.abs(i))||0}function Jo(t,e){var n=t._x1-t._x0;return n?(3*(t._y1-t._y0)/n-e)/2:e}function Cs(t,e,n){var s=t._x0,r=t._y0,o=t._x1,a=t._y1,i=(o-s)/3;t._context.bezierCurveTo(s+i,r+i*e,o-i,a-i*n,o,a)}function js(t){this._context=t}js.prototype={areaStart:function(){this._line=0},areaEnd:function(){this._line=NaN},lineStart:function(){this._x0=this._x1=this._y0=this._y1=this._t0=NaN,this._point=0},lineEnd:function(){switch(this._point){case 2:this._context.lineTo(this._x1,this._y1);break;case 3:Cs(this,this._t0,Jo(this,this._t0));break}(this._line||this._line!==0&&this._point===1)&&this._context.closePath(),this._line=1-this._line},point:function(t,e){var n=NaN;if(t=+t,e=+e,!(t===this._x1&&e===this._y1)){switch(this._point){case 0:this._point=1,this._line?this._context.lineTo(t,e):this._context.moveTo(t,e);break;case 1:this._point=2;break;case 2:this._point=3,Cs(this,Jo(this,n=Go(this,t,e)),n);break;default:Cs(this,this._t0,n=Go(this,t,e));break}this._x0=this._x1,this._x1=t,this._y0=this._y1,this._y1=e,this._t0=n}}};function rp(t){this._context=new Fa(t)}(rp.prototype=Object.create(js.prototype)).point=function(t,e){js.prototype.point.call(this,e,t)};function Fa(t){this._context=t}Fa.prototype={moveTo:function(t,e){this._context.moveTo(e,t)},closePath:function(){this._context.closePath()},lineTo:function(t,e){this._context.lineTo(e,t)},bezierCurveTo:function(t,e,n,s,r,o){this._context.bezierCurveTo(e,t,s,n,o,r)}};function op(t){this._context=t}op.prototype={areaStart:function(){this._line=0},areaEnd:function(){this._line=NaN},lineStart:function(){this._x=[],this._y=[]},lineEnd:function(){var t=this._x,e=this._y,n=t.length;if(n)if(this._line?this._context.lineTo(t[0],e[0]):this._context.moveTo(t[0],e[0]),n===2)this._context.lineTo(t[1],e[1]);else for(var s=Xo(t),r=Xo(e),o=0,a=1;a<n;++o,++a)this._context.bezierCurveTo(s[0][o],r[0][o],s[1][o],r[1][o],t[a],e[a]);(this._line||this._line!==0&&n===1)&&this._context.closePath(),this._line=1-this._line,this._x=this._y=null},point:function(t,e){this._x.push(+t),this._y.push(+e)}};function Xo(t){var e,n=t.length-1,s,r=new Array(n),o=new Array(n),a=new Array(n);for(r[0]=0,o[0]=2,a[0]=t[0]+2*t[1],e=1;e<n-1;++e)r[e]=1,o[e]=4,a[e]=4*t[e]+2*t[e+1];for(r[n-1]=2,o[n-1]=7,a[n-1]=8*t[n-1]+t[n],e=1;e<n;++e)s=r[e]/o[e-1],o[e]-=s,a[e]-=s*a[e-1];for(r[n-1]=a[n-1]/o[n-1],e=n-2;e>=0;--e)r[e]=(a[e]-r[e+1])/o[e];for(o[n-1]=(t[n]+r[n-1])/2,e=0;e<n-1;++e)o[e]=2*t[e+1]-r[e+1];return[r,o]}function ap(t,e){this._context=t,this._t=e}ap.prototype={areaStart:function(){this._line=0},areaEnd:function(){this._line=NaN},lineStart:function(){this._x=this._y=NaN,this._point=0},lineEnd:function(){0<this._t&&this._t<1&&this._point===2&&this._context.lineTo(this._x,this._y),(this._line||this._line!==0&&this._point===1)&&this._context.closePath(),this._line>=0&&(this._t=1-this._t,this._line=1-this._line)},point:function(t,e){switch(t=+t,e=+e,this._point){case 0:this._point=1,this._line?this._context.lineTo(t,e):this._context.moveTo(t,e);break;case 1:this._point=2;default:{if(this._t<=0)this._context.lineTo(this._x,e),this._context.lineTo(t,e);else{var n=this._x*(1-this._t)+t*this._t;this._context.lineTo(n,this._y),this._context.lineTo(n,e)}break}}this._x=t,this._y=e}};var ip={light:{weight:["#f4f6fc","#c3cff5","#7f97ea","#3457d5","#1b2f8a","#0b1547"],signed:["#8c3a00","#d9752b","#f3c9a4","#f6f7fa","#b3c1f2","#4a68da","#182a80"]},dark:{weight:["#1a1d27","#262f57","#3a4fae","#6f88ee","#b3c3ff","#f6f8ff"],signed:["#ffc795","#d9803a","#6e4526","#1d202a","#2f3f85","#6f88ee","#d3dcff"]}},St=["curve-1","curve-2","curve-3","curve-4","curve-5","curve-6"],We=["","6 3","2 3","8 3 2 3","1 3","10 4"],lp=t=>[1,3,5].map(e=>parseInt(t.slice(e,e+2),16)),Tn=t=>(t/=255)<=.04045?t/12.92:((t+.055)/1.055)**2.4,cp=t=>Math.round(255*(t<=.0031308?12.92*t:1.055*t**(1/2.4)-.055));function up(t){let e=t.map(s=>lp(s).map(Tn)),n=new Uint8ClampedArray(256*4);for(let s=0;s<256;s++){let r=s/255*(e.length-1),o=Math.min(Math.floor(r),e.length-2);for(let a=0;a<3;a++)n[4*s+a]=cp(e[o][a]+(r-o)*(e[o+1][a]-e[o][a]));n[4*s+3]=255}return n}var tr=new Map,Ie=()=>document.documentElement.dataset.theme??(matchMedia("(prefers-color-scheme: dark)").matches?"dark":"light");function Zt(t){let e=`${Ie()} ${t}`;return tr.has(e)||tr.set(e,up(ip[Ie()][t])),tr.get(e)}function En(t,e,n){if(!(n>0)||Number.isNaN(t))return e==="signed"?128:0;let s=e==="signed"?.5+t/n/2:Math.sqrt(Math.max(t,0)/n);return Math.max(0,Math.min(255,Math.round(255*s)))}function Nt(t,e,n){let s=Zt(e),r=4*En(t,e,n);return`rgb(${s[r]}, ${s[r+1]}, ${s[r+2]})`}function On(t,e,n){let s=Zt(e),r=4*En(t,e,n);return .2126*Tn(s[r])+.7152*Tn(s[r+1])+.0722*Tn(s[r+2])>.2?"#14161d":"#ffffff"}function Ia(t){let e=matchMedia("(prefers-color-scheme: dark)"),n=new MutationObserver(t);return n.observe(document.documentElement,{attributeFilter:["data-theme"]}),e.addEventListener("change",t),()=>(n.disconnect(),e.removeEventListener("change",t))}function R(t,e=3){if(t==null||Number.isNaN(t))return"–";if(t===0)return"0";let n=Math.abs(t);return n===1/0?t>0?"∞":"−∞":(n<10**-e||n>=1e7?t.toExponential(e-1).replace("e+","e"):pp(t,e)).replace("-","−").replace("e-","e−")}function pp(t,e){let n=Math.abs(t);return Number.isInteger(t)||n>=10**e?Math.round(t).toLocaleString("en"):t.toFixed(Math.max(0,e-Math.max(0,Math.floor(Math.log10(n)))))}function rt(t,e=2){return Number.isFinite(t)?t>0&&t<1e-4?"< 0.01 %":`${Number((100*t).toPrecision(e))} %`:"–"}function Pn(t){let e=Math.abs(t);for(let[n,s]of[[1e15,"P"],[1e12,"T"],[1e9,"G"],[1e6,"M"],[1e3,"K"]])if(e>=n)return`${(t/n).toPrecision(3)} ${s}`;return R(t)}function Wa(t){let e=Object.keys(t),n=[];if(e.length===1&&t[e[0]].shape.length===2){let{shape:s,data:r,rows:o,columns:a,axes:i}=t[e[0]],l=a??Array.from({length:s[1]},(c,u)=>u);n.push([i?i.join(" \\ "):e[0],...l]);for(let c=0;c<s[0];c++)n.push([o?.[c]??c,...Array.from({length:s[1]},(u,p)=>r[c*s[1]+p])])}else{let s=Math.max(0,...e.map(r=>t[r].shape.length));n.push(["array",...Array.from({length:s},(r,o)=>`index ${o}`),"value"]);for(let r of e){let{shape:o,data:a}=t[r];for(let i=0;i<a.length;i++){let l=new Array(s).fill("");for(let c=o.length-1,u=i;c>=0;c--)l[c]=u%o[c],u=Math.floor(u/o[c]);n.push([r,...l,a[i]])}}}return n.map(s=>s.map(hp).join(",")).join(`\r
`)+`\r
`}function hp(t){if(t==null)return"";if(typeof t=="number")return String(t);let e=/^[=+\-@\t\r]/.test(t)?`'${t}`:String(t);return/[",\r\n]/.test(e)?`"${e.replaceAll('"','""')}"`:e}var Ln=()=>h`<svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
  <g><rect x="3" y="3" width="8" height="8" rx="2" /><rect x="12" y="12" width="8" height="8" rx="2" />
    <rect x="21" y="21" width="8" height="8" rx="2" /></g>
  <g opacity=".45"><rect x="3" y="12" width="8" height="8" rx="2" /><rect x="12" y="21" width="8" height="8" rx="2" /></g>
  <rect x="3" y="21" width="8" height="8" rx="2" opacity=".2" />
</svg>`,Ha="regard-theme",Ba=()=>{try{return localStorage.getItem(Ha)}catch{return null}};Ba()&&Ua(Ba());function Ua(t){document.documentElement.dataset.theme=t,document.documentElement.style.colorScheme=t}function zn(){let e=ct()==="dark"?"light":"dark";return h`<button class="quiet" onClick=${()=>{Ua(e);try{localStorage.setItem(Ha,e)}catch{}}} aria-label=${`Use ${e} colours`} title=${`Use ${e} colours`}>
    <svg viewBox="0 0 20 20" width="18" height="18" aria-hidden="true">
      <circle cx="10" cy="10" r="7" fill="none" stroke="currentColor" stroke-width="1.5" />
      <path d="M10 3a7 7 0 0 1 0 14z" fill="currentColor" />
    </svg>
  </button>`}function ct(){let[t,e]=j(Ie);return W(()=>Ia(()=>e(Ie())),[]),t}function X(){let t=z(null),[e,n]=j(0);return lt(()=>{let s=new ResizeObserver(([r])=>n(Math.floor(r.contentRect.width)));return s.observe(t.current),n(Math.floor(t.current.getBoundingClientRect().width)),()=>s.disconnect()},[]),[t,e]}function q({title:t,note:e,class:n="",actions:s,children:r}){return h`<section class=${`panel ${n}`}>
    ${(t||s)&&h`<div class="panel-head"><h2>${t}</h2>${s}</div>`}
    ${e&&h`<p class="note">${e}</p>`}
    ${r}
  </section>`}function I({error:t,waiting:e,lines:n=0,children:s}){return h`<div class="said" role="status" aria-live="polite">
    ${t?h`<p class="error">${t}</p>`:e?h`<div class="waiting"><p class=${n?"unseen":""}>${s??"computing …"}</p>
      ${Array.from({length:n},()=>h`<i class="skeleton" aria-hidden="true"></i>`)}</div>`:null}
  </div>`}var Pt=({value:t,digits:e})=>h`<span title=${t==null?"":String(t).replace("-","−")}>${R(t,e)}</span>`;function yt({place:t,class:e="",noted:n=!0,what:s,children:r}){return t!=="file"?h`<div class=${e||"as-itself"}>${r}</div>`:h`<fieldset class=${`saved-still ${e}`} disabled>${n&&h`<${te} place=${t} what=${s} />`}${r}</fieldset>`}var te=({place:t,what:e="change it"})=>t==="file"&&h`<p class="note saved-note">Saved from regard: run <code>regard explore</code> to ${e}.</p>`,er=(t,e,n,s)=>Number.isFinite(t)?Math.min(n,Math.max(e,t)):s,fe=(t,e,n,s)=>Number.isFinite(t)?Math.round(er(t,e,n)):s,Be=(t,e,n)=>e.includes(t)?t:n,Rn=(t,e,n)=>Array.isArray(t)&&t.length===2&&t.every(Number.isFinite)?t.map(s=>fe(s,e,n)):null,It=()=>matchMedia("(prefers-reduced-motion: reduce)").matches;var G={left:66,right:22,top:10,bottom:42};function zt({series:t,label:e,xLabel:n,yLabel:s,logX:r,logY:o,marks:a=[],height:i=260,xMin:l,yMin:c,says:u=R}){let[p,d]=X(),m=V(),[f,$]=j(null),g=t.map(k=>({...k,points:k.x.map((P,C)=>[P,k.y[C]]).filter(([P,C])=>Lt(P,r)&&Lt(C,o))})),x=g.flatMap(k=>k.points.map(([P])=>P)).concat(a.map(k=>k.x).filter(k=>Lt(k,r))),v=g.flatMap(k=>[...k.points.map(([,P])=>P),...k.low??[],...k.high??[]]).filter(k=>Lt(k,o)),b=nr(x,r,[G.left,Math.max(d-G.right,G.left+10)],l),y=nr(v,o,[i-G.bottom,G.top],c),_=Fe().defined(([k,P])=>Lt(k,r)&&Lt(P,o)).x(([k])=>b(k)).y(([,k])=>y(k)),w=[...new Set(x)].sort((k,P)=>k-P),N=k=>{let P=k.clientX-k.currentTarget.getBoundingClientRect().left;w.length&&$(w.reduce((C,D)=>Math.abs(b(D)-P)<Math.abs(b(C)-P)?D:C))},M=k=>{let P={ArrowRight:1,ArrowLeft:-1}[k.key];!P||!w.length||(k.preventDefault(),$(w[Math.max(0,Math.min(w.length-1,(f===null?-1:w.indexOf(f))+P))]))},T=f===null?[]:g.map((k,P)=>({name:k.name,i:P,y:k.points.find(([C])=>C===f)?.[1]})).filter(k=>k.y!==void 0);return h`<figure class="chart" ref=${p}>
    ${t.length>1&&h`<ul class="keys">${t.map((k,P)=>h`<li><svg width="26" height="8" aria-hidden="true"><line x1="0" x2="26" y1="4" y2="4" class=${k.class??St[P%6]} stroke-dasharray=${k.dash??We[P%6]} /></svg>${k.name}</li>`)}</ul>`}
    ${d>0&&h`<svg width=${d} height=${i} tabindex="0" role="img" aria-label=${`${e}. ${dp(g,n,u)}`} aria-describedby=${m}
      onPointerMove=${N} onPointerLeave=${()=>$(null)} onKeyDown=${M} onBlur=${()=>$(null)}>
      <${Va} x=${b} y=${y} logX=${r} logY=${o} xLabel=${n} yLabel=${s} width=${d} height=${i} says=${u} />
      ${a.map(k=>Lt(k.x,r)&&h`<g class="mark"><line x1=${b(k.x)} x2=${b(k.x)} y1=${G.top} y2=${i-G.bottom} />
        <text x=${b(k.x)+4} y=${G.top+10}>${k.name}</text></g>`)}
      ${g.map((k,P)=>h`<g>
        ${k.low&&h`<path class=${`band ${k.class??St[P%6]}`} d=${Pa().x((C,D)=>b(k.x[D])).y0((C,D)=>y(k.low[D])).y1((C,D)=>y(k.high[D]))(k.x)} />`}
        <path class=${`curve ${k.class??St[P%6]}`} stroke-dasharray=${k.dash??We[P%6]} d=${_(k.points)} />
        ${k.points.length<2&&k.points.map(([C,D])=>h`<circle class=${`dot ${k.class??St[P%6]}`} cx=${b(C)} cy=${y(D)} r="3" />`)}
      </g>`)}
      ${f!==null&&h`<line class="reading" x1=${b(f)} x2=${b(f)} y1=${G.top} y2=${i-G.bottom} />
        ${T.map(k=>h`<circle class=${`dot ${g[k.i].class??St[k.i%6]}`} cx=${b(f)} cy=${y(k.y)} r="3.5" />`)}`}
    </svg>`}
    <figcaption id=${m} class="reading" aria-live="polite">${f===null?h`<span class="hint">point, or use the arrow keys, to read numbers</span>`:h`${n} ${u(f)}: ${T.map((k,P)=>h`${P?" · ":""}${k.name} <b>${u(k.y)}</b>`)}`}</figcaption>
  </figure>`}var Lt=(t,e)=>Number.isFinite(t)&&(!e||t>0);function nr(t,e,n,s){let[r,o]=t.length?[Math.min(...t),Math.max(...t)]:[e?1:0,e?10:1];s!==void 0&&(r=Math.min(r,s)),r===o&&([r,o]=e?[r/2,o*2]:[r-.5,o+.5]);let a=(e?Ks():qe()).domain([r,o]).range(n);return e&&o/r<1e3?a:a.nice()}function dp(t,e,n){return t.filter(s=>s.points.length).map(s=>`${s.name}: ${n(s.points[0][1])} at ${e} ${n(s.points[0][0])}, ${n(s.points.at(-1)[1])} at ${n(s.points.at(-1)[0])}`).join("; ")}function Va({x:t,y:e,logX:n,logY:s,xLabel:r,yLabel:o,width:a,height:i,says:l}){let c=(p,d,m)=>{let f=p.ticks(m);return d?f.filter($=>f.length<=m+2||Number.isInteger(Math.round(Math.log10($)*1e9)/1e9)):f},u=i-G.bottom;return h`<g class="axes">
    ${c(e,s,5).map(p=>h`<g><line x1=${G.left} x2=${a-G.right} y1=${e(p)} y2=${e(p)} /><text x=${G.left-7} y=${e(p)} dy="0.35em" text-anchor="end">${Ka(p,l)}</text></g>`)}
    ${t&&c(t,n,Math.max(2,Math.floor(a/90))).map(p=>h`<g><line x1=${t(p)} x2=${t(p)} y1=${u} y2=${u+4} /><text x=${t(p)} y=${u+17} text-anchor="middle">${Ka(p,l)}</text></g>`)}
    <text class="name" x=${(G.left+a-G.right)/2} y=${i-6} text-anchor="middle">${r}</text>
    <text class="name" transform=${`translate(13,${(G.top+u)/2}) rotate(-90)`} text-anchor="middle">${o}</text>
  </g>`}var Ka=(t,e)=>Math.abs(t)>=1e4?Pn(t):e(t,3).replace(/(\.\d*?)0+$/,"$1").replace(/\.$/,"");function Ga({names:t,groups:e,label:n,yLabel:s,logY:r,height:o=240,says:a=R}){let[i,l]=X(),c=Object.entries(e),u=c.flatMap(([,$])=>$).filter($=>Lt($,r)),p=nr(r?u:[...u,0],r,[o-G.bottom,G.top]),d=(l-G.left-G.right)/Math.max(t.length,1),m=Math.min(38,d*.72/c.length),f=r?o-G.bottom:p(0);return h`<figure class="chart" ref=${i}>
    ${c.length>1&&h`<ul class="keys">${c.map(([$],g)=>h`<li><svg width="12" height="12" aria-hidden="true"><rect width="12" height="12" rx="2" class=${St[g%6]} /></svg>${$}</li>`)}</ul>`}
    ${l>0&&h`<svg width=${l} height=${o} role="img" aria-label=${`${n}. ${c.map(([$,g])=>t.map((x,v)=>`${x} ${$} ${a(g[v])}`).join(", ")).join("; ")}`}>
      <${Va} x=${null} y=${p} logY=${r} xLabel="" yLabel=${s} width=${l} height=${o} says=${a} />
      ${t.map(($,g)=>h`<g>
        ${c.map(([x,v],b)=>Lt(v[g],r)&&h`<rect class=${St[b%6]} rx="2" x=${G.left+(g+.5)*d-c.length*m/2+b*m} width=${m*.92}
          y=${Math.min(p(v[g]),f)} height=${Math.abs(f-p(v[g]))}><title>${`${$}, ${x}: ${a(v[g])}`}</title></rect>`)}
        <text class="tick" x=${G.left+(g+.5)*d} y=${o-G.bottom+17} text-anchor="middle">${$.length>d/6?`${$.slice(0,Math.max(2,Math.floor(d/6)-1))}…`:$}</text>
      </g>`)}
    </svg>`}
  </figure>`}function vt({off:t,onClick:e,children:n,...s}){return h`<button ...${s} aria-disabled=${t?"true":null} onClick=${t?null:e}>${n}</button>`}function ot({label:t,value:e,min:n,max:s,step:r,onChange:o,says:a=R,disabled:i}){let l=V();return h`<div class="control">
    <label for=${l}>${t}</label>
    <input id=${l} type="range" min=${n} max=${s} step=${r} value=${e} disabled=${i}
      aria-valuetext=${a(e)} onInput=${c=>o(Number(c.target.value))} />
    <output for=${l}>${a(e)}</output>
  </div>`}function tt({label:t,value:e,options:n,onChange:s}){let r=V();return h`<fieldset class="choice"><legend>${t}</legend><div>
    ${n.map(([o,a])=>h`<label><input type="radio" name=${r} value=${o} checked=${o===e}
        onChange=${()=>s(o)} /><span>${a}</span></label>`)}
  </div></fieldset>`}function et({label:t,value:e,options:n,onChange:s,hidden:r}){let o=V(),a=([i,l])=>Array.isArray(l)?h`<optgroup label=${i}>${l.map(a)}</optgroup>`:h`<option value=${i} selected=${String(i)===String(e)}>${l}</option>`;return h`<div class="control">
    <label for=${o} class=${r?"unseen":""}>${t}</label>
    <select id=${o} onChange=${i=>s(i.target.value)}>${n.map(a)}</select>
  </div>`}function bt({label:t,value:e,onChange:n}){return h`<label class="toggle"><input type="checkbox" checked=${e}
    onChange=${s=>n(s.target.checked)} /><span>${t}</span></label>`}function ht({label:t,value:e,onChange:n,live:s,lines:r,placeholder:o,spellcheck:a=!1,max:i}){let l=V(),[c,u]=j(null),p=()=>(c!==null&&c!==e&&n(c),u(null)),d={id:l,placeholder:o,spellcheck:a,maxLength:i,value:c??e,onInput:m=>s?n(m.target.value):u(m.target.value),onBlur:p,onKeyDown:m=>m.key==="Enter"&&(!r||m.ctrlKey||m.metaKey)&&p()};return h`<div class="control text"><label for=${l}>${t}</label>
    ${r?h`<textarea rows=${r} ...${d}></textarea>`:h`<input type="text" ...${d} />`}</div>`}function $e({label:t,value:e,step:n=.1,least:s=-1e6,most:r=1e6,onChange:o,disabled:a}){let[i,l]=j(null),c=z(null),u=z(null),p=z(e);p.current=e;let d=f=>Number(f.toFixed(6)),m=f=>{l(null);let $=Number(String(f).replace("−","-").replace(",","."));if(String(f).trim()!==""&&$>=s&&$<=r)return o(d($));u.current.setCustomValidity(`a number from ${R(s)} to ${R(r)}`),u.current.reportValidity(),setTimeout(()=>u.current?.setCustomValidity(""),2500)};return h`<input ref=${u} class="cell" type="text" inputmode="decimal" aria-label=${t} disabled=${a}
    value=${i??String(e).replace("-","−")} data-draft=${i===null?null:""}
    onInput=${f=>l(f.target.value)}
    onBlur=${f=>i!==null&&m(f.target.value)}
    onKeyDown=${f=>{let $={ArrowUp:1,ArrowDown:-1,PageUp:10,PageDown:-10}[f.key];f.key==="Enter"?m(f.target.value):f.key==="Escape"?l(null):$&&(f.preventDefault(),o(p.current=d(p.current+$*n)))}}
    onPointerDown=${f=>c.current={x:f.clientX,from:e,id:f.pointerId}}
    onPointerMove=${f=>{let $=c.current;!$||Math.abs(f.clientX-$.x)<4&&!$.moving||($.moving=!0,f.target.setPointerCapture($.id),o(d($.from+Math.round((f.clientX-$.x)/4)*n)))}}
    onPointerUp=${()=>c.current=null}
    onPointerCancel=${()=>c.current=null} />`}function Wt(t,e,n,s=n){let r={ArrowRight:1,ArrowLeft:-1,ArrowDown:s,ArrowUp:-s,Home:-e,End:n-1-e}[t.key];if(r===void 0)return null;t.preventDefault();let o=e+r;return o<0||o>=n?e:o}var Dn={size:13,line:19,letter:6.8},mp=".control, .choice, .toggle, progress, select, textarea, input:not(.cell), button:not(.quiet, .word, [data-pictured], th button, :has(> svg))",Xa=`[data-unpictured], script, style, noscript, template, title, ${mp}`;function rr(t,e="",n=""){let s=Ya(t)??t.getBoundingClientRect(),r=n?fp(n,Math.ceil(s.width)):[],[o,a]=[Math.ceil(s.width)+32,Math.ceil(s.height)+32],i=a+r.length*Dn.line,l={clips:0,defs:""},c=dt(gp(t))??{fill:"#ffffff"},u=Z("g",{transform:`translate(${Ue(16-s.left)},${Ue(16-s.top)})`},Za(t,l));return`<?xml version="1.0" encoding="UTF-8"?>
${Z("svg",{xmlns:"http://www.w3.org/2000/svg","xmlns:xlink":"http://www.w3.org/1999/xlink",width:o,height:i,viewBox:`0 0 ${o} ${i}`},`${Z("title",{},ge(e)||" ")}${l.defs&&Z("defs",{},l.defs)}${Z("rect",{width:o,height:i,...c})}${u}${r.map((p,d)=>$p(p,a+d*Dn.line,t)).join("")}`)}
`}function Ya(t){let e=getComputedStyle(t);if(t.matches(Xa)||e.display==="none"||e.position==="fixed"||/inset\(50%/.test(e.clipPath))return null;let r=(!dt(e.backgroundColor)&&[...t.childNodes].every(i=>i.nodeType===Node.ELEMENT_NODE||!i.data?.trim())&&t.children.length&&!(t instanceof SVGElement)?[...t.children].map(Ya).filter(Boolean):[t.getBoundingClientRect()]).filter(i=>i.width>0&&i.height>0);if(!r.length)return null;let[o,a]=[Math.min(...r.map(i=>i.left)),Math.min(...r.map(i=>i.top))];return{left:o,top:a,width:Math.max(...r.map(i=>i.left+i.width))-o,height:Math.max(...r.map(i=>i.top+i.height))-a}}function fp(t,e){let n=Math.max(20,Math.floor(e/Dn.letter));return t.split(/\s+/).reduce((s,r)=>s.length&&`${s.at(-1)} ${r}`.length<=n?[...s.slice(0,-1),`${s.at(-1)} ${r}`]:[...s,r],[])}function $p(t,e,n){let s=getComputedStyle(n);return Z("text",{x:16,y:e+2,...dt(s.color),"font-family":s.fontFamily,"font-size":Dn.size},ge(t))}async function Qa(t,e=2){let n=URL.createObjectURL(new Blob([t],{type:"image/svg+xml"}));try{let s=new Image;s.src=n,await s.decode();let{naturalWidth:r,naturalHeight:o}=s,a=Math.min(e,16e3/Math.max(r,o),Math.sqrt(2e8/(r*o))),i=document.createElement("canvas");[i.width,i.height]=[Math.round(r*a),Math.round(o*a)],i.getContext("2d").drawImage(s,0,0,i.width,i.height);let l=await new Promise(c=>i.toBlob(c,"image/png"));if(!l)throw new Error("the figure is too large for a PNG; save it as SVG");return l}finally{URL.revokeObjectURL(n)}}function gp(t){for(let e=t;e;e=e.parentElement){let{backgroundColor:n}=getComputedStyle(e);if(dt(n)?.["fill-opacity"]===null)return n}return"rgb(255, 255, 255)"}function Za(t,e){if(t.matches(Xa))return"";let n=getComputedStyle(t),s=Number(n.opacity),r=/inset\((50|100)%/.test(n.clipPath);if(n.display==="none"||s===0||r)return"";let o=t.getBoundingClientRect(),a=n.visibility==="visible"&&n.display!=="contents",i=n.display==="inline"?[...t.getClientRects()]:[o],l=a?i.map(p=>yp(t,n,p)).join(""):"",c={canvas:kp,svg:Np,img:Mp,input:bp}[t.localName],u=l;if(c)u+=a?c(t,n,o):"";else{t.localName==="mfrac"&&t.children.length===2&&(u+=wp(t,n,o)),t.localName==="msqrt"&&(u+=_p(t,n,o));let p=[...t.childNodes].map(d=>{if(d.nodeType===Node.TEXT_NODE)return n.visibility==="visible"?vp(d,n):"";let m=t.localName==="details"&&!t.open&&d.localName!=="summary";return d.nodeType!==Node.ELEMENT_NODE||m?"":Za(d,e)});u+=xp(t,n,o,e,p.join(""))}return s<1&&u?Z("g",{opacity:s},u):u}function xp(t,e,n,s,r){let o=[e.overflowX,e.overflowY].some(c=>c!=="visible")&&t!==document.body,a=t.scrollWidth>t.clientWidth+1||t.scrollHeight>t.clientHeight+1;if(!r||!o||!a)return r;let i=`clip-${++s.clips}`,l={x:n.left+t.clientLeft,y:n.top+t.clientTop,width:t.clientWidth,height:t.clientHeight};return s.defs+=Z("clipPath",{id:i},Z("rect",l)),Z("g",{"clip-path":`url(#${i})`},r)}function yp(t,e,{left:n,top:s,width:r,height:o}){if(r<=0||o<=0)return"";let a=Math.min(parseFloat(e.borderTopLeftRadius)||0,r/2,o/2),i=(g,x)=>Z("rect",{x:n-g,y:s-g,width:r+2*g,height:o+2*g,rx:a?a+g:null,...x}),l=(g,x,v)=>i(v,{fill:"none",...dt(x,"stroke"),"stroke-width":g}),c=dt(e.backgroundColor),u=c?i(0,c):"",[p,d,m,f]=["Top","Right","Bottom","Left"].map(g=>({size:e[`border${g}Style`]==="none"?0:parseFloat(e[`border${g}Width`]),colour:e[`border${g}Color`]}));if([d,m,f].every(({size:g,colour:x})=>g===p.size&&x===p.colour))p.size>0&&dt(p.colour)&&(u+=l(p.size,p.colour,-p.size/2));else{let[g,x]=[n+r,s+o],v=[[p,n,s,g,s],[d,g,s,g,x],[m,n,x,g,x],[f,n,s,n,x]];for(let[{size:b,colour:y},_,w,N,M]of v){let T=b>0&&dt(y,"stroke");T&&(u+=Z("line",{x1:_,y1:w,x2:N,y2:M,...T,"stroke-width":b}))}}let $=parseFloat(e.outlineWidth);return e.outlineStyle==="solid"&&$>0&&!t.matches(":focus")&&(u+=l($,e.outlineColor,parseFloat(e.outlineOffset)+$/2)),u}function vp(t,e){let n=t.data,s=n.search(/\S/);if(s<0)return"";let r=document.createRange(),o=(c,u)=>(r.setStart(t,c),r.setEnd(t,u),[...r.getClientRects()].filter(p=>p.width>0&&p.height>0)),a=n.trimEnd().length,i=o(s,a);if(!i.length)return"";if(new Set(i.map(c=>Math.round(c.top))).size===1)return Ja(n.slice(s,a),e,i[0],i.at(-1));let l=[];for(let c=s;c<a;){let u=n.codePointAt(c)>65535?2:1,p=o(c,c+u).at(-1),d=l.at(-1);p&&(!d||Math.abs(p.top-d.from.top)>p.height/2)?l.push({text:n.slice(c,c+u),from:p,to:p}):p?(d.text+=n.slice(c,c+u),/\S/.test(n[c])&&(d.to=p)):d&&(d.text+=n.slice(c,c+u)),c+=u}return l.map(c=>Ja(c.text,e,c.from,c.to)).join("")}function Ja(t,e,n,s){let o=/^(pre|break-spaces)/.test(e.whiteSpace)?t.replace(/[\r\n]+/g,"").replaceAll(" "," "):t.replace(/\s+/g," ").trim(),a=e.textTransform==="uppercase"?o.toUpperCase():o,i=dt(e.color);if(!i||!a.trim())return"";let{up:l,down:c}=ti(e),u=a.length>1&&s.right>n.left?s.right-n.left:null,p=e.fontStyle!=="normal"||e.textTransform==="math-auto"&&/^\p{L}$/u.test(a);return Z("text",{x:n.left,y:n.top+n.height*l/(l+c),...i,textLength:u,lengthAdjust:u===null?null:"spacingAndGlyphs","font-family":e.fontFamily,"font-size":parseFloat(e.fontSize),"font-weight":e.fontWeight==="400"?null:e.fontWeight,"font-style":p?"italic":null},ge(a))}var sr=new Map;function ti(t){let e=`${t.fontStyle} ${t.fontWeight} ${t.fontSize} ${t.fontFamily}`;if(!sr.has(e)){let n=document.createElement("canvas").getContext("2d");n.font=e;let{fontBoundingBoxAscent:s,fontBoundingBoxDescent:r}=n.measureText("x");sr.set(e,{up:s,down:r})}return sr.get(e)}function bp(t,e,n){let{up:s,down:r}=ti(e),o=n.right-parseFloat(e.paddingRight)-parseFloat(e.borderRightWidth),a={"font-family":e.fontFamily,"font-size":parseFloat(e.fontSize),"text-anchor":"end"};return Z("text",{x:o,y:n.top+n.height/2+(s-r)/2,...dt(e.color),...a},ge(t.value))}function wp(t,e,n){let[s,r]=[...t.children].map(i=>i.getBoundingClientRect()),o=(s.bottom+r.top)/2,a={...dt(e.color,"stroke"),"stroke-width":Math.max(1,parseFloat(e.fontSize)/16)};return Z("line",{x1:n.left+1,x2:n.right-1,y1:o,y2:o,...a})}function _p(t,e,n){let s=t.firstElementChild?.getBoundingClientRect()??n,r=Math.max(4,s.left-n.left),a=[[0,n.height*.6],[r*.25,n.height*.54],[r*.6,n.height],[r,1],[n.width,1]].map(([i,l])=>`${Ue(n.left+i)},${Ue(n.top+l)}`).join(" ");return Z("polyline",{points:a,fill:"none",...dt(e.color,"stroke"),"stroke-width":1})}function kp(t,e,n){let{cells:s}=t;if(!s||s.rows*s.columns>4096)return ei(t.toDataURL("image/png"),e,n);let[r,o]=[n.width/s.columns,n.height/s.rows],a="";for(let i=0;i<s.rows;i++)for(let l=0,c;l<s.columns;l=c){let u=s.colour(i,l);for(c=l+1;c<s.columns&&s.colour(i,c)===u;)c++;let[p,d]=[c<s.columns?r/2:0,i<s.rows-1?o/2:0];a+=Z("rect",{x:n.left+l*r,y:n.top+i*o,width:(c-l)*r+p,height:o+d,...dt(u)})}return Z("g",{"shape-rendering":"crispEdges"},a)}function Mp(t,e,n){if(!t.complete||!t.naturalWidth)return"";let s=document.createElement("canvas");return[s.width,s.height]=[t.naturalWidth,t.naturalHeight],s.getContext("2d").drawImage(t,0,0),ei(s.toDataURL("image/png"),e,n)}var ei=(t,e,{left:n,top:s,width:r,height:o})=>t.length<10?"":Z("image",{x:n,y:s,width:r,height:o,preserveAspectRatio:"none","xlink:href":t,"image-rendering":e.imageRendering==="auto"?null:e.imageRendering}),ni={fill:"#000000","fill-opacity":"1",stroke:"none","stroke-opacity":"1","stroke-width":"1px","stroke-dasharray":"none","stroke-linecap":"butt","stroke-linejoin":"miter","text-anchor":"start","dominant-baseline":"auto","paint-order":"normal","shape-rendering":"auto","font-style":"normal","font-weight":"400","font-family":null,"font-size":null},Sp=/^(on|aria-|data-|class$|style$|role$|tabindex$|focusable$|width$|height$|xmlns)/;function Np(t,e,n){let[s,r]=["viewBox","preserveAspectRatio"].map(i=>t.getAttribute(i)),o=e.overflow==="visible"?"visible":"hidden",a={x:n.left,y:n.top,width:n.width,height:n.height,viewBox:s,preserveAspectRatio:r,overflow:o};return Z("svg",a,[...t.childNodes].map(i=>si(i,ni)).join(""))}function si(t,e){if(t.nodeType===Node.TEXT_NODE)return ge(t.data.replace(/\s+/g," "));if(t.nodeType!==Node.ELEMENT_NODE||["foreignObject","script","style","animate"].includes(t.localName))return"";let n=getComputedStyle(t);if(n.display==="none"||n.visibility==="hidden")return"";let s={};for(let{name:a,value:i}of t.attributes)(!Sp.test(a)||/^(width|height)$/.test(a)&&t.localName!=="svg")&&(s[a]=i);let r={...e};for(let a of Object.keys(ni)){delete s[a];let i=/^(fill|stroke)$/.test(a)?Cp(n[a]):n.getPropertyValue(a);i!==e[a]&&(s[a]=r[a]=i)}Number(n.opacity)<1&&(s.opacity=n.opacity),n.transform!=="none"&&!t.hasAttribute("transform")&&(s.transform=n.transform.replace(/px/g,"")),t.localName==="svg"&&Object.assign(s,{width:t.getAttribute("width"),height:t.getAttribute("height")});let o=[...t.childNodes].map(a=>si(a,r)).join("");return Z(t.localName==="a"?"g":t.localName,s,o)}function Cp(t){if(t==="none"||t.startsWith("url("))return t.replaceAll('"',"");let e=dt(t);return e?e["fill-opacity"]?t:e.fill:"none"}function dt(t,e="fill"){let n=/^rgba?\(([\d.]+),? ([\d.]+),? ([\d.]+)(?:,? ?\/? ?([\d.]+%?))?\)$/.exec(t);if(!n)return t&&t!=="none"&&t!=="transparent"?{[e]:Ap(t)}:null;let s=n[4]===void 0?1:n[4].endsWith("%")?parseFloat(n[4])/100:Number(n[4]);if(s===0)return null;let r=n.slice(1,4).map(o=>Math.round(Number(o)).toString(16).padStart(2,"0")).join("");return{[e]:`#${r}`,[`${e}-opacity`]:s<1?s:null}}var He=null;function Ap(t){He??=Object.assign(document.createElement("canvas"),{width:1,height:1}).getContext("2d",{willReadFrequently:!0}),He.clearRect(0,0,1,1),He.fillStyle=t,He.fillRect(0,0,1,1);let[e,n,s]=He.getImageData(0,0,1,1).data;return`#${[e,n,s].map(r=>r.toString(16).padStart(2,"0")).join("")}`}function Z(t,e={},n=""){let s=`<${t}`;for(let[r,o]of Object.entries(e))o!=null&&o!==""&&(s+=` ${r}="${ge(typeof o=="number"?Ue(o):o)}"`);return n===""?`${s}/>`:`${s}>${n}</${t}>`}var Ue=t=>String(Math.round(t*100)/100),ge=t=>String(t).replace(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu,"").replace(/[&<>"]/g,e=>({"&":"&amp;","<":"&lt;",">":"&gt;",'"':"&quot;"})[e]);function nt({name:t,of:e,caption:n,numbers:s,saves:r,ask:o,view:a,state:i,place:l}){let[c,u]=j(!1),[p,d]=j({text:"",error:!1}),[m,f]=j(!1),$=z(null),g=V(),x=w=>{u(!1),w&&$.current?.querySelector("button").focus()};W(()=>{if(!c)return;$.current.querySelector("[role=menuitem]").focus();let w=N=>$.current?.contains(N.target)||u(!1);return document.addEventListener("pointerdown",w),()=>document.removeEventListener("pointerdown",w)},[c]);let v=()=>rr(e.current,t,n),b=[["Picture, SVG",async()=>Ke(t,"svg",new Blob([v()],{type:"image/svg+xml"}))],["Picture, PNG",async()=>Ke(t,"png",await Qa(v()))],s&&["Numbers, CSV",async()=>Ke(t,"csv",new Blob([Wa(await s())],{type:"text/csv;charset=utf-8"}))],s&&l!=="file"&&["Numbers, NPZ",async()=>Ke(t,"npz",await Tp(o,await s()))],r&&l!=="file"&&["This view, HTML",async()=>Ke(t,"html",await Op(o,a,i,r()))],l==="page"&&["Copy a link",async()=>Ep(location.href)]].filter(Boolean),y=async w=>{f(!0),d({text:"",error:!1});try{d({text:await w(),error:!1}),x(!0)}catch(N){d({text:N.message,error:!0})}f(!1)};return h`<div class="menu" ref=${$} data-unpictured onKeyDown=${w=>{if(w.key==="Escape"&&c)return w.stopPropagation(),x(!0);if(!c){w.key==="ArrowDown"&&(w.preventDefault(),u(!0));return}let N=[...$.current.querySelectorAll("[role=menuitem]")],M=N.indexOf(document.activeElement);M>=0&&w.key!=="ArrowLeft"&&w.key!=="ArrowRight"&&N[Wt(w,M,N.length,1)??M].focus()}}
    onFocusOut=${w=>w.relatedTarget&&!$.current.contains(w.relatedTarget)&&x(!1)}>
    <button class="quiet" aria-haspopup="menu" aria-expanded=${String(c)} aria-controls=${c?g:null} onClick=${()=>u(!c)}>
      <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
        <path fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round"
          d="M8 2v8M4.8 7.2 8 10.4l3.2-3.2M2.5 13.5h11" /></svg>Export</button>
    ${c&&h`<div id=${g} role="menu" aria-label="Export" aria-busy=${String(m)}>
      ${b.map(([w,N])=>h`<button role="menuitem" tabindex="-1" disabled=${m} onClick=${()=>y(N)}>${w}</button>`)}
      ${m&&h`<p class="waiting" role="none">saving …</p>`}
      ${p.error&&h`<p class="error" role="none">${p.text}</p>`}
    </div>`}
    <span class="unseen" role="status" aria-live="polite">${p.text}</span>
  </div>`}function Ke(t,e,n){let s=`${t.replace(/[^\p{L}\p{N}._-]+/gu,"-")}.${e}`,r=Object.assign(document.createElement("a"),{href:URL.createObjectURL(n),download:s});return document.body.append(r),r.click(),r.remove(),setTimeout(()=>URL.revokeObjectURL(r.href),6e4),`${s} was saved`}async function Tp(t,e){let n=({shape:i,data:l,axes:c=[],rows:u,columns:p})=>({shape:i,data:bs(new Uint8Array(Float64Array.from(l,d=>d??NaN).buffer)),axes:c,rows:Array.from(u??[],String),columns:Array.from(p??[],String)}),s={arrays:Object.fromEntries(Object.entries(e).map(([i,l])=>[i,n(l)]))},{header:r,data:o,offset:a}=await t("npz",s);return new Blob([new Uint8Array(o,a)],{type:r.kind})}async function Ep(t){try{await navigator.clipboard.writeText(t)}catch{let e=Object.assign(document.createElement("textarea"),{value:t});document.body.append(e),e.select();let n=document.execCommand("copy");if(e.remove(),!n)throw new Error("the browser does not let the page copy; copy the address from its bar")}return"The link was copied"}async function Op(t,e,n,s){let r=await t("frame",{}),o=[...new Map(s.map(u=>[JSON.stringify(u),u])).values()],a=[],i=0;for(let u=0;u<o.length;u+=4){let p=o.slice(u,u+4);if((await Promise.all(p.map(([m,f])=>t(m,f)))).forEach((m,f)=>{let $=m.packed instanceof Uint8Array?bs(m.packed):m;a.push([...p[f],$]),i+=typeof $=="string"?$.length:JSON.stringify($).length}),i>r.max_answers)throw new Error(`a saved file must have at most ${r.max_answers/2**20} MB of answers: got more; show fewer tokens or heads`)}let l=new Date().toISOString().slice(0,10),c=JSON.stringify({view:e,state:n,answers:a,version:r.version,date:l});return new Blob([r.before,c.replaceAll("<","\\u003c"),r.after],{type:"text/html;charset=utf-8"})}var ri=new WeakMap;function ar(t,e,n,s,r=s){if(s===1&&r===1)return{data:t,rows:e,columns:n,down:s,right:r,at:null};let o=ri.get(t);if(o?.down===s&&o.right===r)return o;let[a,i]=[Math.ceil(e/s),Math.ceil(n/r)],l={data:new Float32Array(a*i),rows:a,columns:i,down:s,right:r,at:new Uint32Array(a*i)};for(let c=0,u=0;c<e;c++)for(let p=0,d=Math.floor(c/s)*i,m=r;p<n;p++,u++){let[f,$]=[t[u]<0?-t[u]:t[u],l.data[d]<0?-l.data[d]:l.data[d]];f>$&&(l.data[d]=t[u],l.at[d]=u+1),--m===0&&(d++,m=r)}return ri.set(t,l),l}function Fn(t,e,n,s,r,o,a=2048){let i=ar(e,n,s,Math.ceil(n/a),Math.ceil(s/a));[t.width,t.height]=[i.columns,i.rows];let l=new Uint32Array(Zt(r).buffer),c=new ImageData(i.columns,i.rows),u=new Uint32Array(c.data.buffer);for(let p=0;p<u.length;p++)u[p]=l[En(i.data[p],r,o)];t.getContext("2d").putImageData(c,0,0),t.cells={rows:i.rows,columns:i.columns,colour:(p,d)=>Nt(i.data[p*i.columns+d],r,o)}}var or=[{least:13,size:12,letter:7.2,most:13,space:12},{least:9,size:10,letter:6,most:10,space:10}],jn=(t,{most:e})=>t.length>e?`${t.slice(0,e-1)}…`:t,qn=(t,e)=>e.space+e.letter*Math.max(...t.map(n=>jn(n,e).length));function ai(t,e,n){let s=Math.min(n-70,600);return!t||s/e>=or[0].least?s:Math.min(n-qn(t,or[1]),600)}function Ct(t){let{data:e,rows:n,columns:s,scale:r="weight",limit:o=1,label:a,rowNames:i,columnNames:l,chosen:c,onChoose:u,onPoint:p,says:d,side:m=520}=t,f=ct(),$=z(null),g=V(),[x,v]=j(null),b=Math.max(Math.min(m/Math.max(n,s),56),.001),[y,_]=[b*s,b*n],w=or.find(({least:A})=>b>=A),N=w&&l&&qn(l,w)-w.space>b,M=w&&i?qn(i,w):0,T=w&&l?6+(N?qn(l,w):w.space):0,k={fontSize:`${Math.min(w?.size,b)}px`};lt(()=>{Fn($.current,e,n,s,r,o)},[e,n,s,r,o,f]),W(()=>v(null),[n,s]);let P=A=>{let S=$.current.getBoundingClientRect(),[O,L]=[Math.floor((A.clientY-S.top)/S.height*n),Math.floor((A.clientX-S.left)/S.width*s)];return O>=0&&L>=0&&O<n&&L<s?[O,L]:null},C=A=>(v(A),p?.(...A??[null,null])),D=d??((A,S)=>`${i?.[A]??`row ${A}`} to ${l?.[S]??`column ${S}`}: ${R(e[A*s+S])}`),B=A=>{let[S,O]=x??c??[0,0],L=A.shiftKey?Math.max(1,Math.round(s/16)):1,F={ArrowUp:[-L,0],ArrowDown:[L,0],ArrowLeft:[0,-L],ArrowRight:[0,L],Home:[0,-O],End:[0,s-1-O]}[A.key];F?(A.preventDefault(),C(x?[oi(S+F[0],n),oi(O+F[1],s)]:[S,O])):(A.key==="Enter"||A.key===" ")&&x&&(A.preventDefault(),u?.(S,O))},E=(A,S)=>A&&h`<rect class=${S} x=${M+A[1]*b} y=${T+A[0]*b} width=${Math.max(b,2)} height=${Math.max(b,2)} />`;return h`<div class="heatmap" style=${{width:`${M+y}px`,height:`${T+_}px`}}
    tabindex="0" role="application" aria-roledescription="heat map" aria-label=${a} aria-describedby=${g}
    onKeyDown=${B} onBlur=${()=>C(null)} onPointerLeave=${()=>C(null)}
    onPointerMove=${A=>C(P(A))}
    onClick=${A=>P(A)&&u?.(...P(A))}>
    <canvas ref=${$} style=${{left:`${M}px`,top:`${T}px`,width:`${y}px`,height:`${_}px`}}></canvas>
    <svg width=${M+y} height=${T+_} aria-hidden="true">
      ${w&&i?.map((A,S)=>h`<text class="tick" style=${k} x=${M-6} y=${T+(S+.5)*b} dy="0.35em" text-anchor="end">${jn(A,w)}</text>`)}
      ${w&&l?.map((A,S)=>N?h`<text class="tick" style=${k} transform=${`translate(${M+(S+.5)*b},${T-6}) rotate(-90)`} dy="0.35em">${jn(A,w)}</text>`:h`<text class="tick" style=${k} x=${M+(S+.5)*b} y=${T-6} text-anchor="middle">${jn(A,w)}</text>`)}
      ${E(c,"pinned")}${E(x,"cursor")}
    </svg>
    <span id=${g} class="unseen" aria-live="polite">${x?D(...x):c?D(...c):`${n} by ${s}; use the arrow keys to move, Enter to pin`}</span>
  </div>`}var oi=(t,e)=>Math.max(0,Math.min(e-1,t));function xe({scale:t="weight",limit:e=1,label:n="weight"}){let s=ct(),r=z(null);return lt(()=>{let o=t==="signed"?-e:0,a=Float64Array.from({length:128},(i,l)=>o+(e-o)*l/127);Fn(r.current,a,1,128,t,e)},[t,e,s]),h`<div class="legend"><span>${t==="signed"?R(-e,2):0}</span><canvas ref=${r} aria-hidden="true"></canvas><span>${R(e,2)}</span><span class="of">${n}</span></div>`}function ui({ask:t,row:e,document:n,state:s,place:r}){let[o,a]=j(!1),{response:i,error:l,waiting:c}=J(t,"claim",{id:e.id,run:o}),u=z(null),p=i?.id===e.id?i:null,d=p?.verdict??e.verdict,m=p!==null&&p.verdict===null;return h`<article class="panel claims-detail" aria-label=${`${e.id}, ${e.title}`} data-claim=${e.id} data-judged=${String(!!p?.verdict)}>
    <div ref=${u}><header>
      <div class="claims-over"><code>${e.id}</code><span>${n}</span></div>
      <h2>${e.title}</h2>
      <div class="claims-verdict"><${Up} verdict=${d} /><span class="note">${m?"a run decides":Ve(d).about}</span>
        <${nt} name=${`claim-${e.id}`} of=${u} numbers=${p?.chart?()=>Hp(p.chart):void 0}
          saves=${()=>[["catalogue",{}],["claim",{id:e.id,run:!1}]]} ask=${t} view="claims" state=${s} place=${r} /></div>
      ${p?.verdict&&!p.verdict.startsWith(p.expected)&&h`<p class="error">The catalogue expects: ${p.expected}.</p>`}
    </header>
    ${p?h`<${ee} class="claims-question-asked" text=${p.asks} />`:h`<p class="claims-question-asked">${e.asks}</p>`}
    <${I} error=${l} waiting=${c&&!o}>checking …</${I}>
    ${m&&h`<${Lp} claim=${p} running=${o&&c} place=${r} onRun=${()=>a(!0)} onStop=${()=>a(!1)} />`}
    ${p&&h`<div class="claims-versions">${p.versions.filter(f=>f.role!=="twin").map(f=>h`<${pi} version=${f} />`)}</div>
      ${p.chart&&h`<${Ip} chart=${p.chart} />`}`}</div>
    ${p&&h`<${Pp} claim=${p} ask=${t} place=${r} />`}
  </article>`}function Pp({claim:t,ask:e,place:n}){let s=t.versions.find(r=>r.role==="twin");return h`
    ${t.see&&n==="page"&&h`<p class="claims-see">
      <a href=${`#${t.see.view}?${encodeURIComponent(JSON.stringify(t.see.state))}`}>${t.see.words}<span aria-hidden="true"> →</span></a></p>`}
    ${t.exercises.length>0&&n!=="file"&&h`<section class="claims-box">
      <h3>Try an answer</h3><${Rp} ask=${e} exercises=${t.exercises} /></section>`}
    <details class="claims-fold"><summary>Why</summary><${ee} class="claims-why" text=${t.why} />
      ${t.quantities.length>0&&h`<dl class="claims-letters">${t.quantities.map(([r,o])=>h`<${ee} tag="dt" text=${r} /><${ee} tag="dd" text=${o} />`)}</dl>`}
    </details>
    <details class="claims-fold"><summary>A false twin, which the check must refute</summary>
      <p class="note">A check that cannot fail proves nothing, so each one also runs on a false statement close to the true one.</p>
      <${pi} version=${s} /></details>
    <details class="claims-fold"><summary>How it was checked</summary>
      <${ee} text=${t.method} />
      ${t.source&&h`<p>The numbers are of: ${t.source}.</p>`}
      ${t.code.length>0&&h`<p>In the code: ${t.code.map((r,o)=>h`${o?", ":""}<code>${r}</code>`)}</p>`}
      ${t.verdict&&h`<p class="note">${t.seconds<.01?"Less than 0.01":t.seconds.toFixed(2)} s of computing.</p>`}
    </details>`}var ii=6;function pi({version:t}){let e=[...t.findings].sort((s,r)=>s.holds-r.holds),n=e.length>ii+1?ii:e.length;return h`<section class=${`claims-version claims-by-${t.role}`} data-role=${t.role}>
    <h3>${t.heading}</h3>
    <${ee} class="claims-text" text=${t.text} />
    ${t.formula&&h`<${ee} class="claims-formula" text=${t.formula} label="Formula" />`}
    ${n>0&&h`<${li} findings=${e.slice(0,n)} />`}
    ${n<e.length&&h`<details class="claims-more"><summary>${e.length-n} more</summary>
      <${li} findings=${e.slice(n)} /></details>`}
  </section>`}var li=({findings:t})=>h`<ul class="claims-findings">${t.map(e=>h`<li class=${e.holds?"claims-yes":"claims-no"}>
    <span role="img" aria-label=${e.holds?"holds":"fails"}>${e.holds?"✓":"✗"}</span><span>${e.shown}</span></li>`)}</ul>`;function Lp({claim:t,running:e,place:n,onRun:s,onStop:r}){let[o,a]=j(0);return W(()=>{if(!e)return;let i=Date.now(),l=setInterval(()=>a((Date.now()-i)/1e3),250);return()=>(clearInterval(l),a(0))},[e]),h`<div class="claims-unrun" role="status">
    <p>An experiment decides this claim, and no run of it is recorded here. A small version trains in about ${t.takes} seconds.</p>
    ${e?h`<div class="row"><progress aria-label="Training" max=${t.takes} value=${Math.min(o,t.takes*.97)}></progress>
          <span class="note">training, ${Math.round(o)} s</span>
          <button onClick=${r}>Stop</button></div>`:n==="file"?h`<${te} place=${n} what="run it" />`:h`<button class="main" onClick=${s}>Run it now</button>`}
  </div>`}function ee({text:t,tag:e="div",class:n,label:s}){let r=z(null);return lt(()=>{if(r.current.innerHTML=t,!s)return;r.current.scrollWidth>r.current.clientWidth+1?r.current.tabIndex=0:r.current.removeAttribute("tabindex")},[t,s]),h`<${e} ref=${r} class=${n} role=${s?"group":null} aria-label=${s??null}></${e}>`}var zp={right:["✓","holds"],"partly right":["≈","corrected"],wrong:["✗","refuted"],"not read":["?","answered"]};function Rp({ask:t,exercises:e}){let n=[...new Set(e.map(s=>s.question))];return h`<div class="claims-questions">
    ${n.map(s=>{let r=e.filter(o=>o.question===s);return h`<div class="claims-question" key=${s} data-question=${s}>
        <p>${r[0].text}</p>
        ${r.map((o,a)=>h`<${Dp} key=${`${s} ${o.part}`} ask=${t} exercise=${o} tells=${o.how!==r[a-1]?.how} />`)}
      </div>`})}
    <${Fp} kinds=${new Set(e.map(s=>s.kind))} />
  </div>`}var ir=new Map;function Dp({ask:t,exercise:e,tells:n}){let{question:s,part:r,asks:o,kind:a,how:i,choices:l,examples:c}=e,u=V(),p=`${s} ${r}`,[d,m]=j(ir.get(p)??""),[f,$]=j(ir.get(p)??null),{response:g,error:x,waiting:v,of:b}=J(t,"answer",f===null?null:{question:s,part:r,answer:f}),y=N=>{m(N),N.trim()&&(ir.set(p,N.trim()),$(N.trim()))},_=a==="truth"?[["true","true"],["false","false"]]:Object.entries(l),w=f!==null&&d.trim()===f&&b===JSON.stringify({question:s,part:r,answer:f});return h`<div class="claims-try" data-part=${r}>
    ${o&&h`<p class="claims-asks" id=${`${u}-asks`}>${o}</p>`}
    ${_.length?h`<div class=${`claims-options ${a}`} role="group" aria-label=${o||"Your answer"}>${_.map(([N,M])=>h`<button aria-pressed=${String(f===N)} onClick=${()=>y(N)}>
            ${a==="choice"?h`<b>${N}</b> ${M}`:M}
          </button>`)}</div>`:h`<form class="claims-form" onSubmit=${N=>(N.preventDefault(),y(d))}>
          <label class="unseen" for=${u}>${`Your answer${o?`: ${o}`:""}`}</label>
          <input id=${u} type="text" value=${d} maxlength="2000" autocomplete="off" autocapitalize="off" spellcheck=${!1} aria-describedby=${`${u}-how`}
            placeholder="your answer" onInput=${N=>m(N.target.value)} />
          <button class="main" type="submit" disabled=${!d.trim()}>Check</button>
        </form>
        <p class=${n?"note":"unseen"} id=${`${u}-how`}>Write ${i}.</p>
        ${c.length>0&&h`<p class="claims-examples"><span class="note">Or try</span>
          ${c.map(N=>h`<button class="claims-example" onClick=${()=>y(N)}>${N}</button>`)}</p>`}`}
    <${I} error=${x} waiting=${v}>marking …</${I}>
    <div role="status" aria-live="polite">${w&&!x&&h`<${jp} mark=${g} />`}</div>
  </div>`}function jp({mark:t}){let[e,n]=zp[t.word],s=t.counterexample,r=Object.entries(s?.breakdown??{});return h`<div class=${`claims-mark claims-${n}`} data-word=${t.word}>
    <p class="claims-word"><span aria-hidden="true">${e}</span> ${t.word}
      ${t.word==="partly right"&&h`<span class="note">${t.points} of ${t.out_of} points</span>`}
      ${t.read_as&&h`<span class="note">read as <code>${t.read_as}</code></span>`}</p>
    ${s&&h`<dl class="claims-counter" data-counterexample>
      <div><dt>at</dt><dd>${Object.entries(s.sizes).map(([o,a])=>`${o} = ${a}`).join(", ")}</dd></div>
      <div><dt>yours</dt><dd class="claims-no">${s.yours}</dd></div>
      <div><dt>true</dt><dd class="claims-yes">${s.true}
        ${r.length>0&&h`<small>${r.map(([o,a],i)=>`${i?" + ":" = "}${a} (${o})`)}</small>`}</dd></div>
    </dl>`}
    ${t.feedback.map(o=>h`<p>${o}</p>`)}
  </div>`}var qp={formula:["A formula",["3D² + 3D","3*D**2 + 3D","\\frac{D^2}{H}","N_h D_i (2 D_hid + D_o)","√d"]],order:["An order of growth",["Θ(N² D)","O(N D + D²)"]],number:["A number",["0.465","1/3","12.5 %","67.1M","5.6e-42"]],vector:["A vector",["(0.1, 0.2)","0.1, 0.2"]],matrix:["A matrix",["[[1, 2], [3, 4]]","1 2; 3 4"]]};function Fp({kinds:t}){let e=Object.entries(qp).filter(([n])=>t.has(n));return e.length?h`<details class="claims-fold"><summary>How to write answers</summary>
    <dl class="claims-letters">${e.map(([,[n,s]])=>h`<dt>${n}</dt><dd>${s.map((r,o)=>h`${o?", ":""}<code>${r}</code>`)}</dd>`)}</dl>
    <p class="note">Unicode, LaTeX and Python notation all work; products need no sign. Formulas are compared exactly, so any equivalent form is right. Numbers
      must be right in the digits you give. Nothing you type is run as code.</p>
  </details>`:null}function Ip({chart:t}){return h`<div class="claims-chart" data-chart=${t.kind}>
    <h3>${t.title}</h3>
    ${t.kind==="lines"&&h`<${zt} label=${t.title} xLabel=${t.x_label} yLabel=${t.y_label} logX=${t.log_x} logY=${t.log_y}
      series=${hi(t)}
      marks=${Object.entries(t.marks??{}).map(([e,n])=>({name:e,x:n}))} />`}
    ${t.kind==="bars"&&h`<${Ga} label=${t.title} names=${t.names} groups=${t.groups} yLabel=${t.y_label} logY=${t.log_y} />
      <${Wp} chart=${t} />`}
    ${t.kind==="matrices"&&h`<${Bp} chart=${t} />`}
  </div>`}var hi=({x:t,y:e,bands:n})=>Object.entries(e).map(([s,r])=>({name:s,x:t,y:r,low:n?.[s]?.[0],high:n?.[s]?.[1]})),di=({panels:t})=>Object.entries(t).map(([e,n])=>({name:e,rows:n.length,columns:n[0].length,values:n.flat()}));function Wp({chart:t}){return h`<div class="scrolls"><table class="lines">
    <thead><tr><th></th>${Object.keys(t.groups).map(e=>h`<th class="number">${e}</th>`)}</tr></thead>
    <tbody>${t.names.map((e,n)=>h`<tr><th>${e}</th>
      ${Object.values(t.groups).map(s=>h`<td class="number"><${Pt} value=${s[n]} /></td>`)}</tr>`)}</tbody>
  </table></div>`}function Bp({chart:t}){let[e,n]=j(null),[s,r]=X(),o=U(()=>di(t),[t]),{signed:a,limit:i}=t,l=o.length===1?1:Math.max(2,Math.floor((r+24)/(o.length>4?164:250))),c=Math.min(o.length===1?420:260,(r-24*(l-1))/l-(t.rows?30:0)),u=a?"signed":"weight",p=(m,f)=>m??(f<=12?Array.from({length:f},($,g)=>String(g+1)):void 0),d=(m,f,$)=>{let[g,x]=[t.rows?.[f]??f+1,t.columns?.[$]??$+1];return`${m.name}, ${t.row_label} ${g}, ${t.column_label} ${x}: ${R(m.values[f*m.columns+$])}`};return h`<div ref=${s}>
    ${r>0&&h`<div class="claims-panels">${o.map(m=>h`<figure>
      <figcaption>${m.name}</figcaption>
      <${Ct} data=${m.values} rows=${m.rows} columns=${m.columns} scale=${u} limit=${i} side=${Math.max(c,90)}
        label=${`${m.name}: ${t.row_label} by ${t.column_label}`}
        rowNames=${p(t.rows,m.rows)} columnNames=${p(t.columns,m.columns)}
        says=${(f,$)=>d(m,f,$)} onPoint=${(f,$)=>n(f===null?null:d(m,f,$))} />
    </figure>`)}</div>`}
    <p class="claims-reading"><${xe} scale=${u} limit=${i} label=${`${t.row_label} ↓  ${t.column_label} →`} /><span>${e??""}</span></p>
  </div>`}function Hp(t){if(t.kind==="matrices"){let n=({rows:s,columns:r,values:o})=>({shape:[s,r],data:o,rows:t.rows,columns:t.columns});return Object.fromEntries(di(t).map(s=>[s.name,n(s)]))}if(t.kind==="bars"){let n=Object.entries(t.groups);return{[t.y_label]:{...ci(n),rows:t.names}}}let e=[[t.x_label,t.x]];for(let{name:n,y:s,low:r,high:o}of hi(t))e.push([n,s],...r?[[`${n}, low`,r],[`${n}, high`,o]]:[]);return{[t.y_label]:ci(e)}}var ci=t=>({shape:[t[0][1].length,t.length],data:t[0][1].flatMap((e,n)=>t.map(([,s])=>s[n])),columns:t.map(([e])=>e)}),lr={holds:{sign:"✓",kind:"holds",about:"as the document says it"},"holds as corrected":{sign:"≈",kind:"corrected",about:"its answer holds; a step, a reason or a missing condition does not"},refuted:{sign:"✗",kind:"refuted",about:"its answer does not hold, and here is the counterexample"},answered:{sign:"→",kind:"answered",about:"it asks and does not answer; here is the answer"},built:{sign:"■",kind:"built",about:"it gives code or a figure; here is the part, tested"},experiment:{sign:"∿",kind:"experiment",about:"a run decides; here are its numbers"},unsettled:{sign:"!",kind:"unsettled",about:"our own statement failed its check"}},Ve=t=>lr[t.split(":")[0]],mi=({verdict:t})=>h`<span class=${`claims-sign claims-${Ve(t).kind}`} role="img" aria-label=${t} title=${t}>${Ve(t).sign}</span>`,Up=({verdict:t})=>h`<span class=${`claims-badge claims-${Ve(t).kind}`} data-verdict=${t}>
    <span aria-hidden="true">${Ve(t).sign}</span>${t}
  </span>`;function Kp(t){let{response:e,error:n,waiting:s}=J(t.ask,"catalogue",{});return e?h`<${Vp} ...${t} catalogue=${e} />`:h`<${I} error=${n} waiting=${s} lines=${12}>reading the catalogue …</${I}>`}function Vp(t){let{ask:e,state:n,place:s,catalogue:{rows:r,documents:o}}=t,a=r.find(({id:l})=>l===n.claim),i=a?h`<${ui} key=${a.id} ask=${e} row=${a} document=${o[a.document]} state=${n} place=${s} />`:h`<div class="panel"><p class="error">No claim is called “${n.claim}”: choose one from the list.</p></div>`;return h`<div class="claims">${s==="file"?i:h`<${Gp} ...${t}>${i}<//>`}</div>`}function Gp({state:t,change:e,catalogue:n,children:s}){let{documents:r}=n,o=U(()=>Qp(n),[n]),a=Zp(o,t.search),i=(f,$)=>!t[$]||f[$]===t[$],l=a.filter(f=>i(f,"document")),c=a.filter(f=>i(f,"verdict")),u=l.filter(f=>i(f,"verdict")),p=([f,$])=>[f,`${$} (${c.filter(g=>g.document===f).length})`],d=Yp(t.claim);return h`<div class="claims-filters">
      <div class="claims-search" onKeyDown=${f=>{f.target.tagName!=="INPUT"||!u.length||(f.key==="Enter"&&e({claim:u[0].id}),f.key==="ArrowDown"&&(f.preventDefault(),d.current.querySelector("button").focus()))}}>
        <${ht} label="Search" live value=${t.search} placeholder="a word, or an id: β, noise, nyu.1c" max=${200}
          onChange=${f=>e({search:f})} />
        <${et} label="Document" value=${t.document} onChange=${f=>e({document:f})}
          options=${[["","all five documents"],...Object.entries(r).map(p)]} />
      </div>
      <${Jp} rows=${l} verdict=${t.verdict} onChange=${f=>e({verdict:f})} />
    </div>
    <div class="claims-sides">
      <${Xp} rows=${u} documents=${r} current=${t.claim} list=${d}
        onOpen=${f=>e({claim:f})} onClear=${()=>e({search:"",verdict:"",document:""})} />
      ${s}
    </div>`}function Jp({rows:t,verdict:e,onChange:n}){let s=Object.entries(lr).filter(([r])=>r!=="unsettled");return h`<div class="claims-chips" role="group" aria-label="Verdict">
    <button aria-pressed=${String(!e)} onClick=${()=>n("")}>all <span class="claims-count">${t.length}</span></button>
    ${s.map(([r,{sign:o,kind:a}])=>h`<button class=${`claims-chip claims-${a}`} aria-pressed=${String(e===r)}
      onClick=${()=>n(e===r?"":r)}>
      <span aria-hidden="true">${o}</span>${r}<span class="claims-count">${t.filter(i=>i.verdict===r).length}</span></button>`)}
  </div>`}function Xp({rows:t,documents:e,current:n,list:s,onOpen:r,onClear:o}){let a=t.some(l=>l.id===n)?n:t[0]?.id;return h`<nav class="claims-list" ref=${s} aria-label="Claims" onKeyDown=${l=>{let c=[...s.current.querySelectorAll("button[data-id]")],u=c.indexOf(l.target),p={ArrowDown:u+1,ArrowUp:u-1,Home:0,End:c.length-1}[l.key];u<0||p===void 0||(l.preventDefault(),c[p]?.focus())}}>
    <p class="unseen" role="status">${t.length} claims</p>
    ${!t.length&&h`<p class="claims-none">No claims found. <button onClick=${o}>Show all claims</button></p>`}
    ${Object.entries(e).map(([l,c])=>{let u=t.filter(p=>p.document===l);return u.length>0&&h`<section key=${l}><h3>${c}</h3><ul>${u.map(p=>h`<li key=${p.id}><button data-id=${p.id} aria-current=${p.id===n?"true":null} tabindex=${p.id===a?0:-1}
          onClick=${()=>r(p.id)}>
          <${mi} verdict=${p.verdict} /><span class="claims-title">${p.title}</span><code>${p.id}</code></button></li>`)}</ul></section>`})}
  </nav>`}function Yp(t){let e=z(null);return W(()=>{let n=e.current?.querySelector("[aria-current]");if(!n)return;let[s,r]=[e.current.getBoundingClientRect(),n.getBoundingClientRect()];(r.top<s.top||r.bottom>s.bottom)&&(e.current.scrollTop+=r.top-s.top-s.height/3)},[t]),e}var fi={name:"claims",title:"Claims",about:"What five courses say about attention, checked: what holds, what does not, and the numbers that show it. Try your own answer and get the counterexample.",state:{search:"",verdict:"",document:"",claim:"nyu.1e"},View:Kp},cr=t=>t.normalize("NFKD").replace(/[\u0300-\u036f]/g,"").toLowerCase(),$i=t=>cr(t).split(/[^\p{L}\p{N}]+/u).filter(Boolean);function Qp({rows:t,documents:e}){return t.map(n=>{let s=cr(`${n.id} ${n.id.replace(".","")} ${n.title} ${n.asks} ${e[n.document]} ${n.verdict}`);return{row:n,text:s,words:$i(s)}})}function Zp(t,e){let n=cr(e).split(/\s+/).filter(Boolean),s=t.filter(({text:r})=>n.every(o=>r.includes(o)));return s.length?s.map(({row:r})=>r):t.filter(({words:r})=>$i(e).every(o=>r.some(a=>th(o,a)))).map(({row:r})=>r)}function th(t,e){return t.length<4?e.startsWith(t):[-1,0,1].some(n=>eh(t,e.slice(0,t.length+n))<=1)}function eh(t,e){let n=0;for(;n<t.length&&n<e.length&&t[n]===e[n];)n++;let[s,r]=[t.slice(n),e.slice(n)];if(!s&&!r)return 0;let o=s.length>1&&s[0]===r[1]&&s[1]===r[0]&&s.slice(2)===r.slice(2);return s.slice(1)===r.slice(1)||s.slice(1)===r||s===r.slice(1)||o?1:2}function xi({header:t,data:e,offset:n}){let s=t.steps.length*t.layers*t.heads;return{...t,centres:new Float32Array(e,n,2*s),precisions:new Float32Array(e,n+8*s,t.entries*s),image:t.has_image?new Uint8Array(e,n+4*(2+t.entries)*s,t.side**2):null}}function ur(t,e,n){let s=(r,o)=>n===0?r:r+n*(o-r);return{centre:e.centre.map((r,o)=>s(t.centre[o],r)),precision:e.precision.map((r,o)=>s(t.precision[o],r))}}function Ge(t,e,n){let s=Math.floor(e),r=(o,a)=>{let i=(o*t.layers+n)*t.heads+a,{centres:l,precisions:c,entries:u}=t;return{centre:[...l.subarray(2*i,2*i+2)],precision:[...c.subarray(u*i,u*(i+1))]}};return Array.from({length:t.heads},(o,a)=>e===s?r(s,a):ur(r(s,a),r(s+1,a),e-s))}var In=([t,e,,n])=>n!==void 0?[t,e,n]:[t,0,e??t];function yi(t){let[e,n,s]=In(t);return Math.max(...t.map(Math.abs))<=1e6&&e>0&&s>0&&e*s>n*n&&(t.length<4||t[2]===n)}function ye(t,e){let[n,s,r]=In(t),o=Math.hypot((r-n)/2,s),a=(n+r)/2,i=Math.sqrt(-Math.log1p(-e)),l=o<=1e-12*a;return{long:i/Math.sqrt(Math.max(a-o,1e-12)),short:i/Math.sqrt(a+o),angle:l?0:Math.atan2(2*s,r-n)/2+Math.PI/2}}function Wn(t){let[e,n,s]=In(t);return(4*(e*s-n*n))**-.25}var pr=60,hr=.002;function vi(t,e){let[n,s,r]=In(t),o=Math.hypot((r-n)/2,s),a=(n+r)/2,i=Math.min(1,hr/Math.max(a-o,1e-9)),l=Math.max(i,Math.min(Math.max(1,pr/(a+o)),e));return t.map(c=>Number((c*l).toPrecision(4)))}var dr=(t,e)=>({1:[e],2:[e,e],4:[e,0,0,e]})[t];function bi(t,e){let n=1.5,s=t.side>>1;for(let r=0;r<t.steps.length;r++){let o=2*(r*t.layers+e)*t.heads;for(let a of t.centres.subarray(o,o+2*t.heads))n=Math.max(n,-s-a,s+a-t.side+1)}return Math.min(Math.ceil(2*n+.5)/2,t.side)}var mt=t=>`heads-hue-${t%6+1}`,Bn=t=>["","7 4","2 4","9 3 2 3"][Math.floor(t/6)%4],gi=(t,e,n)=>`${Math.abs(t).toFixed(2)} ${t<0?n:e}`,Hn=([t,e])=>`${gi(t,"down","up")}, ${gi(e,"right","left")}`;function _i({found:t,maps:e,head:n,precision:s,centre:r,onQuery:o}){let[a,i]=j(null),{h:l,w:c,query:u}=t,p=e.subarray(n*l*c,(n+1)*l*c),d=p.reduce((f,$)=>Math.max(f,$),0),m=t.heads[n];return h`<div class="heads-beside">
    <${Ct} data=${p} rows=${l} columns=${c} limit=${d} side=${160} chosen=${u} label=${`Weights of head ${n+1} from the query`}
      says=${(f,$)=>`row ${f}, column ${$}: ${R(p[f*c+$])}`} onChoose=${(f,$)=>o([f,$])}
      onPoint=${(f,$)=>i(f===null?null:[f,$])} />
    <div>
      <${xe} limit=${d} />
      <p class="heads-facts">${Hn(r)}<br />width ${R(Wn(s),2)}</p>
      <p class="hint">${a?h`row ${a[0]}, column ${a[1]}: <b data-weight><${Pt} value=${p[a[0]*c+a[1]]} /></b>`:`Away from borders its largest weight is ${rt(1-m.softness)}.`}</p>
    </div>
  </div>`}var nh=t=>t.map(e=>String(e).replace("-","−")).join(", "),wi=(t,e)=>t&&e&&t[0]===e[0]&&t[1]===e[1];function ki({found:t,chosen:e,onChoose:n}){let[s,r]=t.kernel_size,o=Math.min(54,174/r),a=([u,p])=>[(p+(r-1)/2)*o,(u+(s-1)/2)*o],i=o>=46,l=t.heads.map((u,p)=>({...u,head:p})).filter(u=>u.tap),c=[...t.free,...l.map(u=>u.tap)].filter(u=>t.heads.some(p=>wi(p.peak,u)));return h`<div class="heads-beside">
    <svg class="heads-kernel" width=${r*o+2} height=${s*o+2} viewBox=${`-1 -1 ${r*o+2} ${s*o+2}`}
      role="group" aria-label=${`Nearest kernel, ${s} by ${r}`}>
      ${t.free.map(u=>h`<rect class="free" x=${a(u)[0]} y=${a(u)[1]} width=${o-3} height=${o-3} rx="5" />`)}
      ${l.map(({head:u,tap:p,distance:d,peak:m,softness:f})=>{let[$,g]=a(p),x=wi(m,p),v=x?1-f:0,b=v*(o-3),y=x?`${rt(v)} of its weight there`:"its weight is largest elsewhere",_=x?rt(v):`${R(d,2)} off`,w=$+(o-3)/2;return h`<g class=${`heads-tap ${mt(u)} ${u===e?"chosen":""} ${x?"":"off"}`} role="button" tabindex="0"
          aria-pressed=${u===e} aria-label=${`Tap ${nh(p)}: head ${u+1}, ${R(d,2)} away, ${y}`}
          onClick=${()=>n(u)} onKeyDown=${N=>N.key==="Enter"&&n(u)}>
          <rect class="cell" x=${$} y=${g} width=${o-3} height=${o-3} rx="5" />
          <rect class="share" x=${$} y=${g+o-3-b} width=${o-3} height=${b} rx="5" />
          <text class="name" x=${w} y=${g+(i?o*.4:(o-3)/2)} dy=${i?0:"0.36em"} text-anchor="middle">${u+1}</text>
          ${i&&h`<text class="away" x=${w} y=${g+o*.72} text-anchor="middle">${_}</text>`}
        </g>`})}
    </svg>
    <div>
      <p class="hint">Each tap of the smallest kernel, and the head nearest to it; filled by its weight there.</p>
      <p class=${t.is_bijection?"heads-yes":""} data-bijection=${t.is_bijection}>${t.is_bijection?"Every tap is the peak of one head: sharper heads tend to this convolution.":`${c.length} of ${s*r} taps ${c.length===1?"is":"are"} the peak of a head.`}</p>
    </div>
  </div>`}var sh=(t,e)=>`${t} ${e}${t===1?"":"s"}`;function Mi({found:{convolution:t,reason:e,h:n,w:s},isEven:r}){if(!t)return h`<p>There is no certificate: ${e}</p>`;let o=2*t.lipschitz,a=[["random inputs",t.measured,"measured"],["worst input",t.worst,"worst"],["certificate",t.bound,"bound"]].filter(([,p])=>p!==null),i=p=>Math.min(1,p/o),l=t.bound<=.01*t.lipschitz,c=l?"Proven: it is that convolution up to this error.":`Proven; the error never exceeds ${R(o)}.`,u=Math.max(...t.dilation)>1?`, dilated by ${t.dilation.join(" × ")}`:"";return h`
    <p>For inputs of norm 1, attention is within <b data-bound=${t.bound}><${Pt} value=${t.bound} /></b> of a convolution with ${sh(t.taps,"tap")} in
      a ${t.size[0]} × ${t.size[1]} kernel${u}.${" "}
      <span class=${l?"heads-yes":"hint"}>${c}</span></p>
    <table class="heads-bars"><tbody>
      ${a.map(([p,d,m])=>h`<tr><th scope="row">${p}</th>
        <td><svg width="120" height="10" aria-hidden="true">
          <rect class="rail" width="120" height="10" rx="3" /><rect class=${m} width=${120*i(d)} height="10" rx="3" />
        </svg></td>
        <td class="number" data-error=${m}><${Pt} value=${d} /></td></tr>`)}
    </tbody></table>
    <p class="hint">${r?"Every head passes on the same share of what it sees.":"With the trained value projections of the last step."}
      ${t.scope==="inside"?h` All of this holds for pixels from which no target leaves the image: <b data-pixels>${t.pixels} of ${n*s}</b>.`:""}
      ${t.untried?` No inputs were tried: ${t.untried}.`:""}</p>
    <p class="hint">${t.sharpness===null?"No sharpness would bring it below 1 %: some centre lies half-way between two pixels.":h`Below 1 % at these centres: a precision of <b><${Pt} value=${t.sharpness} /></b> for every head.`}</p>
    <details><summary>The certificate as the library prints it</summary><pre class="scrolls" tabindex="0">${t.text}</pre></details>`}var rh={uniform:"weighs all pixels equally","one-hot":"sees only one pixel",border:"has its centre off the grid, and sees only the border",singular:"is so thin that it is a line"};function Si({found:t,onChoose:e}){let n=t.heads.flatMap((r,o)=>r.kinds.map(a=>[o,a])),s=r=>h`<button class="heads-name quiet" onClick=${()=>e(r)}><span class=${`heads-dot ${mt(r)}`} />Head ${r+1}</button>`;return t.unexamined?h`<p class="hint">Not checked: ${t.unexamined}.</p>`:!n.length&&!t.alike.length?h`<p class="hint">None: every head looks at a place of its own.</p>`:h`<ul class="heads-odd">
    ${n.map(([r,o])=>h`<li data-kind=${o}>${s(r)} ${rh[o]}</li>`)}
    ${t.alike.map(r=>h`<li data-kind="alike">Heads ${r.map(o=>o+1).join(", ")} have the same map</li>`)}
  </ul>`}var Ni={ArrowUp:[-1,0],ArrowDown:[1,0],ArrowLeft:[0,-1],ArrowRight:[0,1]};function Ai({heads:t,side:e,margin:n,query:s,chosen:r,image:o,trail:a,at:i,onPlace:l,onNudge:c,onWiden:u,onChoose:p,onQuery:d}){let[m,f]=X(),$=z(null),g=z(null),x=V(),v=Math.min(f,620)/(e+2*n),b=v*(e+2*n),y=S=>(S+n+.5)*v,_=S=>(S+n+.5)*v,w=S=>{let O=$.current.getBoundingClientRect();return[(S.clientY-O.top)/v-n-.5,(S.clientX-O.left)/v-n-.5]},N=S=>{let[O,L]=w(S).map(Math.round);Math.min(O,L)>=0&&Math.max(O,L)<e&&d([O,L])},M=(S,O)=>{S.preventDefault(),S.stopPropagation(),S.currentTarget.focus?.({preventScroll:!0}),S.currentTarget.setPointerCapture(S.pointerId),g.current=O},T={onPointerMove:S=>g.current?.(S),onPointerUp:()=>g.current=null,onPointerCancel:()=>g.current=null},k=S=>O=>{p(S);let[L,F]=w(O),[at,Et]=[t[S].centre[0]+s[0]-L,t[S].centre[1]+s[1]-F];M(O,en=>{let[hc,dc]=w(en);l(S,[hc+at-s[0],dc+Et-s[1]])})},P=S=>{let O=t[r].precision,L=at=>Math.max(Math.hypot(...w(at).map((Et,en)=>Et-t[r].centre[en]-s[en])),.1),F=L(S);M(S,at=>u(r,(F/L(at))**2,O))},C=S=>O=>{let L=Ni[O.key],F={"+":1,"=":1,"-":-1,"−":-1}[O.key];if(L)c(S,L.map(at=>at*(O.shiftKey?1:.1)));else if(F)u(S,1.1**(-2*F));else return;O.preventDefault()},D=S=>{let O=Ni[S.key];O&&(S.preventDefault(),d(s.map((L,F)=>Math.max(0,Math.min(e-1,L+O[F])))))},B=([S,O])=>[y(O+s[1]),_(S+s[0])].map(L=>Math.max(13,Math.min(b-13,L))),[E,A]=t[r]?B(t[r].centre):[];return h`<div class="heads-picture" ref=${m}>
    ${f>0&&h`<svg ref=${$} width=${b} height=${b} viewBox=${`0 0 ${b} ${b}`}
      role="group" aria-label="Heads around the query pixel" aria-describedby=${x} ...${T}>
      <g class="heads-pixels" onPointerDown=${S=>(N(S),g.current=N)}>
        <rect class="heads-board" x=${y(-.5)} y=${_(-.5)} width=${e*v} height=${e*v} />
        ${o&&Array.from(o,(S,O)=>S>0&&h`<rect class="heads-shade" width=${v} height=${v}
          x=${y(O%e-.5)} y=${_(Math.floor(O/e)-.5)} fill-opacity=${.3*S/255} />`)}
        ${Array.from({length:e+1},(S,O)=>h`
          <line x1=${y(O-.5)} x2=${y(O-.5)} y1=${_(-.5)} y2=${_(e-.5)} />
          <line y1=${_(O-.5)} y2=${_(O-.5)} x1=${y(-.5)} x2=${y(e-.5)} />`)}
      </g>
      <g aria-hidden="true" class="heads-ellipses">
        ${t.map((S,O)=>h`<${oh} head=${O} ...${S} query=${s} x=${y} y=${_} scale=${v} chosen=${O===r} />`)}
      </g>
      ${a&&h`<g aria-hidden="true" class=${`heads-trail ${mt(r)}`}>
        <polyline class="rest" points=${a.map(([S,O])=>`${y(O+s[1])},${_(S+s[0])}`).join(" ")} />
        <polyline points=${a.slice(0,Math.floor(i)+1).map(([S,O])=>`${y(O+s[1])},${_(S+s[0])}`).join(" ")} />
        <circle cx=${y(a[0][1]+s[1])} cy=${_(a[0][0]+s[0])} r="3" />
      </g>`}
      <g class="heads-query" tabindex="0" role="application" aria-roledescription="movable pixel" data-query=${s.join(",")}
        aria-label=${`The query pixel: row ${s[0]}, column ${s[1]}. Arrow keys move it.`}
        onKeyDown=${D} onPointerDown=${S=>M(S,N)}>
        <rect x=${y(s[1]-.5)} y=${_(s[0]-.5)} width=${v} height=${v} rx="3" />
        <circle cx=${y(s[1])} cy=${_(s[0])} r="3" />
      </g>
      ${t.map((S,O)=>h`<g class=${`heads-knob ${mt(O)}`} tabindex="0" role="application" aria-roledescription="movable head" data-head=${O}
        aria-label=${`Head ${O+1}: ${Hn(S.centre)}, width ${R(Wn(S.precision),2)}. Arrow keys move it, plus and minus change its width.`}
        onFocus=${()=>p(O)} onKeyDown=${C(O)} onPointerDown=${k(O)}>
        <${Ci} head=${O} at=${B(S.centre)} />
      </g>`)}
      ${t[r]&&h`<g class=${`heads-knob chosen ${mt(r)}`} aria-hidden="true"><${Ci} head=${r} at=${[E,A]} /></g>
        <${ah} precision=${t[r].precision} cx=${E} cy=${A} scale=${v} size=${b} onGrab=${P} />`}
    </svg>`}
    <p id=${x} class="unseen">Tab to a head; arrow keys move it by a tenth of a pixel, with Shift by a whole one; plus and minus change its width.</p>
  </div>`}function oh({head:t,centre:e,precision:n,query:s,x:r,y:o,scale:a,chosen:i}){let[l,c]=[r(e[1]+s[1]),o(e[0]+s[0])],u=(p,d)=>{let{long:m,short:f,angle:$}=ye(n,p);return h`<ellipse class=${d} rx=${m*a} ry=${f*a} stroke-dasharray=${d==="half"?Bn(t):null}
      fill-opacity=${i?.22:Math.min(.12,.3/m)}
      transform=${`translate(${l},${c}) rotate(${$*180/Math.PI})`} />`};return h`<g class=${`${mt(t)} ${i?"chosen":""}`}>${u(.9,"most")}${u(.5,"half")}</g>`}var Ci=({head:t,at:[e,n]})=>h`<circle cx=${e} cy=${n} r="10" /><text x=${e} y=${n} dy="0.36em" text-anchor="middle">${t+1}</text>`;function ah({precision:t,cx:e,cy:n,scale:s,size:r,onGrab:o}){let{long:a,angle:i}=ye(t,.5),l=Math.max(a*s,19),c=($,g)=>Math.min($,g)>6&&Math.max($,g)<r-6,u=[i,i+Math.PI].map($=>{let g=l;for(;g>19&&!c(e+g*Math.cos($),n+g*Math.sin($));)g-=4;return[Math.max(g,19),$]}),[p,d]=u[0][0]>=u[1][0]?u[0]:u[1],[m,f]=[e+p*Math.cos(d),n+p*Math.sin(d)];return h`<g class="heads-handle" aria-hidden="true" data-handle onPointerDown=${o}>
    <circle class="room" cx=${m} cy=${f} r="14" /><rect x=${m-5} y=${f-5} width="10" height="10" rx="2" />
  </g>`}var Je=74;function Ti({record:t,at:e,layer:n,onChange:s}){let r=Math.max(t.side/2,Math.min(t.side,t.centres.reduce((l,c)=>Math.max(l,Math.abs(c)),0))),o=Je/(2*r+2),a=z(null),i=l=>{let c=Wt(l,n,t.layers);c!==null&&(s(c),a.current.children[c].focus())};return h`<div class="heads-layers" role="group" aria-label="Layer" ref=${a}>
    ${Array.from({length:t.layers},(l,c)=>h`<button aria-pressed=${c===n} aria-label=${`Layer ${c+1}`}
      onClick=${()=>s(c)} onKeyDown=${i}>
      <svg viewBox=${`${-Je/2} ${-Je/2} ${Je} ${Je}`} aria-hidden="true">
        <rect class="heads-here" x=${-o/2} y=${-o/2} width=${o} height=${o} />
        ${Ge(t,e,c).map(({centre:u,precision:p},d)=>{let{long:m,short:f,angle:$}=ye(p,.5);return h`<ellipse class=${mt(d)} stroke-dasharray=${Bn(d)&&"3 2"} rx=${Math.max(m*o,1.5)} ry=${Math.max(f*o,1.5)}
            transform=${`translate(${u[1]*o},${u[0]*o}) rotate(${$*180/Math.PI})`} />`})}
      </svg>
      <span>Layer ${c+1}</span>
    </button>`)}
  </div>`}function Ei(t,e,n){let[s,r]=j(null),o=z(null);o.current={index:e,onStep:n};let a=s!==null,i=t-1;return W(()=>{if(!a)return;let u=o.current.index>=i?0:o.current.index,p=Math.min(400,Math.max(40,7e3/Math.max(i,1))),d=null,m=o.current.index,f=g=>{d??=g;let x=Math.min(i,u+(g-d)/p);Math.floor(x)!==m&&o.current.onStep(m=Math.floor(x)),r(x>=i?null:x),x<i&&($=requestAnimationFrame(f))},$=requestAnimationFrame(f);return()=>cancelAnimationFrame($)},[a,i]),{at:s,isPlaying:a,toggle:()=>{It()?n(e>=i?0:e+1):r(a?null:e>=i?0:e)},stop:()=>r(null)}}function Oi({record:t,index:e,playing:n,onStep:s}){let[r,o]=X(),a=t.steps.length-1,[i,l]=Object.entries(t.curves)[0]??[],c=58,[u,p]=[8,o-8],d=y=>u+(p-u)*y/Math.max(a,1),m=(l??[]).filter(y=>y!==null),[f,$]=i==="accuracy"?[0,1]:[Math.min(...m),Math.max(...m)],g=y=>c-6-(c-12)*(y-f)/($-f||1),x=Fe().defined(y=>y!==null).x((y,_)=>d(_)).y(g),v=It()?"Next step":n.isPlaying?"Pause":"Play",b=Object.entries(t.curves).map(([y,_])=>[y.replace("_"," "),_[e]]).filter(([y,_])=>_!==null&&y!=="loss").map(([y,_],w)=>h`${w?" · ":""}${y} <b data-curve=${y}>${y==="accuracy"?rt(_,3):R(_)}</b>`);return h`<div class="heads-course" ref=${r}>
    <div class="heads-transport" data-unpictured><button class="main" onClick=${n.toggle}>${v}</button><span class="hint">${It()?"":"or the space bar"}</span></div>
    <${ot} label="Step" value=${e} min=${0} max=${a} step=${1} says=${y=>t.steps[y].toLocaleString("en")} onChange=${s} />
    ${l&&o>0&&h`<svg width=${o} height=${c} role="img" aria-label=${`${i} over training: ${R(m[0])} to ${R(m.at(-1))}`}>
      <line class="base" x1=${u} x2=${p} y1=${c-6} y2=${c-6} />
      <path class="curve curve-1" d=${x(l)} />
      <line class="mark" x1=${d(n.at??e)} x2=${d(n.at??e)} y1="2" y2=${c-6} />
      ${l[e]!==null&&h`<circle class="dot curve-1" cx=${d(e)} cy=${g(l[e])} r="3.5" />`}
    </svg>`}
    <p class="hint heads-read">${b.length?b:e===0&&l?"before training":null}</p>
  </div>`}var ih={token:"A piece of text, often a word: what a model reads one at a time. Pixels and patches can be tokens too.",head:"One attention of its own, with its own queries, keys and values. A layer has several, side by side.",layer:"A step of the model: attention, then a small network on each token. Layers are stacked.",weight:"How much a query takes of a key's value: from 0 to 1, and all weights of a query sum to 1.",query:"The vector with which a token asks: it is compared with every key.",key:"The vector that a token offers to be found by.",value:"The vector that a token gives to those who look at it.",logit:"The score of a query and a key, β·q·k, before the softmax makes weights of all of them.",mask:"Who may see whom: a hidden pair has weight 0, whatever its score.",map:"All weights of a head: a row for each query, a column for each key.",softmax:"Scores to weights: each is e to the power of the score, divided by the sum of all.",kernel:"The weights of a convolution: for each offset, what is taken of the pixel there.",exact:"Equal to the definition of the mechanism, up to rounding: nothing is left out or approximated.",receptive:"The receptive field: all tokens of the input that can change an output, through all layers."};function ft({of:t,children:e}){let n=V(),s=z(null),[r,o]=j(null),a=()=>{let{left:l,bottom:c}=s.current.getBoundingClientRect();o({left:`${Math.max(8,Math.min(l,innerWidth-288))}px`,top:`${c+6}px`})},i=()=>o(null);return h`<button ref=${s} type="button" class="word" aria-describedby=${r?n:null} onPointerEnter=${a} onPointerLeave=${i}
    onFocus=${a} onBlur=${i} onClick=${a} onKeyDown=${l=>l.key==="Escape"&&i()}>${e}</button>${r&&h`<span id=${n} role="tooltip" class="definition" style=${r}>${ih[t]}</span>`}`}var lh=4,Pi=["step","layer","head"],mr=t=>Number(t.toFixed(2)),ch={run:null,training:null,layer:0,step:null,moved:{},query:null,head:0,values:"even",image:!0},Li=t=>typeof t=="string"?t:null;function uh({ask:t,state:e,change:n,place:s}){let r={...e,run:Li(e.run),training:Li(e.training)},o=J(t,"recorded",{}),a=o.response?.trainings??[],i=f=>f.run===r.run&&(r.training===null||f.training===r.training),l=r.run===null?a[0]:a.find(i),c=o.response&&a.some(f=>f.run===r.run)&&r.training,u=l?{run:l.run,training:l.training}:c?{run:r.run,training:r.training}:null,p=J(t,"heads",u),d=U(()=>p.response&&xi(p.response),[p.response]);if(!d){let f=o.response&&!a.length&&"No training has recorded gaussian heads yet: run regard train digits-gaussian.",$=o.response&&!u&&!f&&`The run ${r.run} has recorded no gaussian heads; choose another.`,g=u??{run:r.run,training:""};return h`<${I} error=${o.error??p.error??(f||$||null)} waiting=${o.waiting||p.waiting} lines=${12}>reading the recording …<//>
      ${(p.error||$)&&a.length>0&&h`<${zi} trainings=${[g,...a]} request=${g} change=${n} />`}`}let m={ask:t,change:n,place:s,record:d,trainings:a,request:u,hasValues:l?.has_values??!1,error:p.error};return h`<${hh} ...${m} state=${ph(r,d)} />`}function ph(t,{side:e,layers:n,heads:s,entries:r}){let o=([a,i])=>/^\d+\.\d+$/.test(a)&&Array.isArray(i)&&i.length===2+r&&i.every(Number.isFinite)&&i.slice(0,2).every(l=>Math.abs(l)<=200)&&yi(i.slice(2));return{...t,layer:fe(t.layer,0,n-1,0),head:fe(t.head,0,s-1,0),query:Rn(t.query,0,e-1),moved:Object.fromEntries(Object.entries(t.moved).filter(o)),step:Number.isFinite(t.step)?t.step:null}}function hh({ask:t,state:e,change:n,place:s,record:r,trainings:o,request:a,hasValues:i,error:l}){let c=z(null),u=r.steps.length-1,{layer:p,head:d}=e,m=e.step===null?u:Math.max(0,r.steps.findLastIndex(L=>L<=e.step)),f=e.query??[r.side>>1,r.side>>1],$=L=>n({step:L===u?null:r.steps[L]}),g=Ei(r.steps.length,m,$),x=(L,F)=>Ge(r,F,L).map((at,Et)=>dh(at,e.moved[`${L}.${Et}`])),v=x(p,m),[b,y]=mh(g.at===null?v:x(p,g.at)),_=e.values==="trained"&&i?{...a,layer:p}:null,w=L=>({centres:x(L,m).map(F=>F.centre),precisions:x(L,m).map(F=>F.precision),h:r.side,w:r.side,query:f,values:_&&{..._,layer:L}}),N=$t(t,"kernel",w(p)),M=N.error?null:N.response,T=M?.header.heads.length===r.heads?M.header:null,k=T&&new Float32Array(M.data,M.offset,T.heads.length*T.h*T.w),P=fh({state:e,change:n,record:r,layer:p,resting:v,found:T,glide:y}),C=v.every((L,F)=>e.moved[`${p}.${F}`])?v[d].precision[0]:null,D=Object.keys(e.moved).some(L=>L.startsWith(`${p}.`)),B=D&&e.moved[`${p}.${d}`]?null:r.steps.map((L,F)=>Ge(r,F,p)[d].centre),E=L=>{L.key!==" "||L.defaultPrevented||L.target.closest("button, select, summary, [role=button], input:not([type=range])")||(L.preventDefault(),g.toggle())},A=()=>[["recorded",{}],["heads",a],...Array.from({length:r.layers},(L,F)=>["kernel",w(F)])],S=()=>gh(r,v,T,k),O=L=>n({query:L});return h`<div class="heads-frame" ref=${c}><div class="heads" onKeyDown=${E}>
    <div class="heads-left" data-unpictured>
      <${q} title="Training">
        <div class="stack">
          <${yt} place=${s} what="choose another run"><${zi} trainings=${o} request=${a} change=${n} /><//>
          <${Ti} record=${r} at=${g.at??m} layer=${p} onChange=${L=>n({layer:L})} />
          <${Oi} record=${r} index=${m} playing=${g} onStep=${L=>(g.stop(),$(L))} />
        </div>
      <//>
      <div class="heads-below"><${q} title="Try it">
        <div class="stack heads-try">
          <${vt} onClick=${P.convolve} off=${!T}>Make it a convolution<//>
          ${C!==null&&h`<${ot} label="Sharpness" value=${Math.log10(C)} min=${-1} max=${1.5} step=${.02}
            says=${L=>R(10**L,2)} onChange=${L=>P.sharpen(Number((10**L).toPrecision(3)))} />`}
          <${vt} onClick=${P.back} off=${!D}>Back to the training<//>
          ${i&&h`<${tt} label="Values" value=${e.values} options=${[["even","even"],["trained","as trained"]]}
            onChange=${L=>n({values:L})} />`}
          ${r.image&&h`<${bt} label="Show the image" value=${e.image} onChange=${L=>n({image:L})} />`}
        </div>
      <//></div>
    </div>
    <div class="heads-main">
      <${q} title=${`Layer ${p+1}, step ${r.steps[m].toLocaleString("en")}${D?", heads moved":""}`}
        actions=${h`<${nt} name="heads" of=${c} caption=${`Heads of ${a.run}, ${a.training}: layer ${p+1} at step ${r.steps[m].toLocaleString("en")}${D?", with heads moved by hand":""}.`} numbers=${S} saves=${A} ask=${t} view="heads" state=${e} place=${s} />`}>
        <p class="note">Each <${ft} of="head">head<//> looks at its centre, relative to the framed query pixel: half of its weight lies in the strong
          ellipse, nine tenths in the faint one.</p>
        <${Ai} heads=${b} side=${r.side} margin=${bi(r,p)} query=${f} chosen=${d}
          image=${e.image?r.image:null} trail=${B} at=${g.at??m}
          onPlace=${P.place} onNudge=${P.nudge} onWiden=${P.widen} onChoose=${P.choose} onQuery=${O} />
        <${$h} head=${d} one=${v[d]} edits=${P} isRound=${r.entries===1} />
        <p class="hint heads-how" data-unpictured>Drag a head or its handle; click a pixel to move the query. Or tab to them and use the arrow keys, + and −.</p>
        <${I} error=${l} />
      <//>
      ${T&&h`<${q} title="Degenerate heads"><${Si} found=${T} onChoose=${P.choose} /><//>`}
    </div>
    <div class="heads-right">
      ${T?h`
          <${q} title=${h`<span class=${`heads-dot ${mt(d)}`} />Head ${d+1} from the query`}>
            <${_i} found=${T} maps=${k} head=${d} ...${v[d]} onQuery=${O} />
          <//>
          <${q} title="The kernel that the heads make">
            <${ki} found=${T} chosen=${d} onChoose=${P.choose} />
          <//>
          <${q} title="Distance to a true convolution"><${Mi} found=${T} isEven=${_===null} /><//>`:h`<${q} title="The kernel that the heads make">${s==="file"?h`<p class="hint">The saved file does not hold what these heads make; regard explore computes it.</p>`:h`<${I} error=${N.error} waiting=${N.waiting} lines=${6} />`}<//>`}
    </div>
  </div></div>`}var dh=(t,e)=>e?{centre:e.slice(0,2),precision:e.slice(2)}:t;function mh(t){let[e,n]=j(1),s=z(t),r=e<1&&s.current.length===t.length?t.map((i,l)=>ur(s.current[l],i,e*e*(3-2*e))):t,o=e<1;return W(()=>{if(!o)return;let i=null,l=u=>{i??=u;let p=Math.min(1,(u-i)/380+.001);n(p),p<1&&(c=requestAnimationFrame(l))},c=requestAnimationFrame(l);return()=>cancelAnimationFrame(c)},[o]),[r,()=>{It()||(s.current=r,n(0))}]}function fh({state:t,change:e,record:n,layer:s,resting:r,found:o,glide:a}){let i=z(null);i.current={moved:t.moved,resting:r};let l=(d,m)=>{let f={...i.current.moved,[`${s}.${d}`]:[...m.centre,...m.precision]};i.current={moved:f,resting:i.current.resting.map(($,g)=>g===d?m:$)},e({moved:f,head:d})},c=1.5*n.side,u=(d,m)=>l(d,{...i.current.resting[d],centre:m.map(f=>mr(Math.max(-c,Math.min(c,f))))}),p=d=>({...t.moved,...Object.fromEntries(r.map((m,f)=>[`${s}.${f}`,d(m,f)]))});return{choose:d=>e({head:d}),place:u,nudge:(d,m)=>u(d,i.current.resting[d].centre.map((f,$)=>f+m[$])),widen:(d,m,f)=>l(d,{...i.current.resting[d],precision:vi(f??i.current.resting[d].precision,m)}),sharpen:d=>e({moved:p(m=>[...m.centre,...dr(n.entries,d)])}),convolve:()=>{a(),e({moved:p((d,m)=>[...o.heads[m].tap??d.centre,...dr(n.entries,lh)])})},back:()=>{a(),e({moved:Object.fromEntries(Object.entries(t.moved).filter(([d])=>!d.startsWith(`${s}.`)))})}}}function zi({trainings:t,request:e,change:n}){let s=({run:i,training:l})=>JSON.stringify([i,l]),o=[...new Set(t.map(i=>i.run))].map(i=>[i,t.filter(l=>l.run===i).map(l=>[s(l),`${l.run} · ${l.training}`])]),a=i=>{let[l,c]=JSON.parse(i);n({run:l,training:c,step:null,moved:{},layer:0,head:0,query:null})};return h`<${et} label="Run" hidden value=${s(e)} options=${o} onChange=${a} />`}function $h({head:t,one:e,edits:n,isRound:s}){let r=o=>a=>n.place(t,e.centre.map((i,l)=>l===o?a:i));return h`<div class="heads-numbers">
    <span><span class=${`heads-dot ${mt(t)}`} />Head ${t+1}</span>
    <label>row <${$e} label=${`Row of head ${t+1}'s centre`} value=${mr(e.centre[0])} onChange=${r(0)} /></label>
    <label>column <${$e} label=${`Column of head ${t+1}'s centre`} value=${mr(e.centre[1])} onChange=${r(1)} /></label>
    ${s&&h`<label>precision <${$e} label=${`Precision of head ${t+1}`} value=${Number(e.precision[0].toPrecision(3))} step=${.05} least=${hr} most=${pr}
      onChange=${o=>n.widen(t,o/e.precision[0],e.precision)} /></label>`}
  </div>`}function gh(t,e,n,s){let r=[t.steps.length,t.layers,t.heads],o={steps:{shape:[t.steps.length],data:t.steps,axes:["step"]},centres:{shape:[...r,2],data:t.centres,axes:[...Pi,"row and column"]},precisions:{shape:[...r,t.entries],data:t.precisions,axes:[...Pi,"entry"]},centre:{shape:[t.heads,2],data:e.flatMap(d=>d.centre),axes:["head","row and column"]},precision:{shape:[t.heads,t.entries],axes:["head","entry"],data:e.flatMap(d=>d.precision)}};if(!n)return o;let{heads:a,h:i,w:l,convolution:c,kernel_size:u}=n,p=d=>[d,{shape:[],data:[c[d]]}];return{...o,maps:{shape:[a.length,i,l],data:s,axes:["head","row","column"]},kernel_size:{shape:[u.length],data:u},taps:{shape:[a.length,2],axes:["head","row and column"],data:a.flatMap(d=>d.tap??[null,null])},tap_distances:{shape:[a.length],data:a.map(d=>d.distance)},peaks:{shape:[a.length,2],data:a.flatMap(d=>d.peak??[null,null])},softness:{shape:[a.length],data:a.map(d=>d.softness)},...c&&Object.fromEntries(["bound","worst","measured"].map(p))}}var Ri={name:"heads",title:"Heads",about:"Gaussian heads on the grid of pixels: watch them learn where to look, move them, and see how close they are to a convolution.",state:ch,View:uh};var xh=24*2**20,yh="these maps are no longer in memory";function vh({header:t,data:e,offset:n}){let s=t.shape[0]*t.shape[1];return t.type==="float32"?new Float32Array(e,n,s):t.type==="float16"?Float32Array.from(new Float16Array(e,n,s)):Float32Array.from(new Uint8Array(e,n,s),r=>(r/255)**2)}var fr=class{responses=new Map;size=0;get(e){let n=this.responses.get(e);return n&&(this.responses.delete(e),this.responses.set(e,n)),n}put(e,n){this.responses.set(e,n),this.size+=n.data.byteLength;for(let[s,r]of this.responses){if(this.size<=xh||this.responses.size===1)break;this.responses.delete(s),this.size-=r.data.byteLength}}};function $r(t,e,n,s){let r=z(null);r.current??=new fr;let o=z({response:null,of:null}),a=z({of:null,error:null}),[,i]=j(0),l=()=>i(d=>d+1),c=n&&JSON.stringify(n),u=c&&r.current.get(c);u?o.current={response:u,of:n.key}:n&&o.current.of!==n.key&&(o.current={response:null,of:null}),W(()=>{if(!c||r.current.get(c))return;let d=new AbortController,m=()=>t(e,JSON.parse(c),{signal:d.signal});return m().catch(async f=>{if(!f.message?.startsWith(yh))throw f;return await t("maps",s,{signal:d.signal}),m()}).then(f=>(r.current.put(c,f),l()),f=>wt(f)||(a.current={of:c,error:f.message},l())),()=>d.abort()},[t,e,c]);let p=a.current.of===c?a.current.error:null;return{response:c&&!p?o.current.response:null,error:p,waiting:!!c&&!u&&!p}}function ne(t,e,n){let{response:s,error:r,waiting:o}=$r(t,"tile",e,n),a=U(()=>s&&vh(s),[s]);return{tile:s&&{...s.header,weights:a},error:r,waiting:o}}function Di(t,e,n){let{response:s,error:r,waiting:o}=$r(t,"overview",e,n);return{thumbs:U(()=>{if(!s)return null;let i=s.offset;return s.header.shapes.map(([l,c,u],p)=>Array.from({length:l},(d,m)=>{let f=new Uint8Array(s.data,i,c*u);return i+=c*u,{bytes:f,rows:c,columns:u,limit:s.header.limits[p][m]}}))},[s]),error:r,waiting:o}}function ji(t,e,n){let{response:s}=$r(t,"picture",e,n);return U(()=>{if(!s)return null;let{height:r,width:o}=s.header,a=new Uint8Array(s.data,s.offset,3*r*o),i=new ImageData(o,r);for(let l=0;l<r*o;l++){for(let c=0;c<3;c++)i.data[4*l+c]=a[3*l+c];i.data[4*l+3]=255}return i},[s])}function Un(t,e=8){return Array.from(t.keys()).sort((s,r)=>t[r]-t[s]).slice(0,e).filter(s=>t[s]>0)}var Kn=18,Bt=48;function Fi({weights:t,rows:e,columns:n,rowNames:s,columnNames:r,first:o=0,start:a=0,width:i,pinned:l,limit:c,label:u,onPoint:p,onPin:d}){let m=V(),[f,$]=j(null),g=f??(l!==null&&l>=o&&l<o+e?l-o:null),x=Math.max(220,Math.min(i,640)),[v,b]=[x*.34,x*.66],y=Kn*Math.max(e,n)+8,_=Math.max(.02,c*.08),w=[];for(let E=0;E<e;E++)if(!(g!==null&&E!==g))for(let A=0;A<n;A++){let S=t[E*n+A];Math.abs(S)>=(g===null?_:.002)&&w.push([E,A,S])}let N=E=>4+Kn*(E+.5),M=E=>($(E),p(E===null?null:E)),T=E=>{let A={ArrowUp:-1,ArrowDown:1,Home:-e,End:e}[E.key];A?(E.preventDefault(),M(g===null?0:Math.max(0,Math.min(e-1,g+A)))):(E.key==="Enter"||E.key===" ")&&g!==null?(E.preventDefault(),d(g)):E.key==="Escape"&&M(null)},k=(E,A)=>(E?.[A]??String(A+1)).slice(0,22),P=g===null?null:Math.max(...Array.from({length:n},(E,A)=>t[g*n+A])),C=w.slice().sort((E,A)=>A[2]-E[2]).slice(0,3).map(([,E,A])=>`${k(r,E)} ${R(A)}`),D=g===null?`${e} tokens on the left, ${n} on the right; use the up and down keys to move, Enter to pin`:`${k(s,g)} looks at ${C.join(", ")}`,B=E=>Math.min(1,.08+Math.sqrt(Math.abs(E)/Math.max(c,Math.abs(E)))*(g===null?.7:.9));return h`<div class="maps-lines" tabindex="0" role="application" aria-roledescription="lines between tokens" aria-label=${u} aria-describedby=${m}
    onKeyDown=${T} onBlur=${()=>M(null)} onPointerLeave=${()=>M(null)}>
    <svg width=${x} height=${y} aria-hidden="true">
      <g>${w.map(([E,A,S])=>h`<path d=${`M${v} ${N(E)}C${x/2} ${N(E)} ${x/2} ${N(A)} ${b} ${N(A)}`}
        class=${S<0?"less":""} stroke-width=${.6+3.4*Math.sqrt(Math.abs(S))} stroke-opacity=${B(S)} />`)}</g>
      ${Array.from({length:e},(E,A)=>h`<g class=${`token${A===g?" now":g===null?"":" off"}`}
        onPointerEnter=${()=>M(A)} onClick=${()=>d(A)}>
        <rect x="0" y=${N(A)-Kn/2} width=${v} height=${Kn} /><text x=${v-8} y=${N(A)} dy="0.35em"
          text-anchor="end">${k(s,A)}</text></g>`)}
      ${Array.from({length:n},(E,A)=>{let S=g===null?null:t[g*n+A];return h`<g class=${`token key${S!==null&&Math.abs(S)<.002?" off":""}${S!==null&&S===P?" now":""}`}>
          <text x=${b+8} y=${N(A)} dy="0.35em">${k(r,A)}</text>
          ${S!==null&&Math.abs(S)>=.002&&h`<text class="weight" x=${x-4} y=${N(A)} dy="0.35em"
            text-anchor="end">${R(S)}</text>`}</g>`})}
    </svg>
    <span id=${m} class="unseen" aria-live="polite">${D}</span>
  </div>`}function Ii(t,e,n){return[...n&&t>0?[58,92,224]:[240,120,30],Math.round(235*Math.min(1,Math.sqrt(Math.abs(t)/e)))]}function bh({most:t,signed:e}){let n=z(null);return lt(()=>{[n.current.width,n.current.height]=[128,1];let s=new ImageData(128,1),r=e?-t:0;for(let o=0;o<128;o++)s.data.set(Ii(r+(t-r)*o/127,t,e),4*o);n.current.getContext("2d").putImageData(s,0,0)},[t,e]),h`<div class="legend maps-veil"><span>${e?R(-t,2):0}</span><canvas ref=${n} aria-hidden="true"></canvas>
    <span>${R(t,2)}</span><span class="of">${e?"first minus second":"weight"}</span></div>`}function Wi({image:t,weights:e,count:n,first:s,grid:r,query:o,limit:a,signed:i,side:l=400,label:c,onQuery:u,onPoint:p}){let d=ct(),[m,f]=[z(null),z(null)],$=V(),[g,x]=j(null),[v,b]=r,y=Math.min(l/v,l/b),[_,w]=[y*b,y*v],N=e.subarray(o*n,(o+1)*n),M=a??Math.max(...N.subarray(s),1e-9);lt(()=>{[m.current.width,m.current.height]=[t.width,t.height],m.current.getContext("2d").putImageData(t,0,0)},[t]),lt(()=>{[f.current.width,f.current.height]=[b,v];let E=new ImageData(b,v);for(let A=0;A<v*b;A++)E.data.set(Ii(N[s+A],M,i),4*A);f.current.getContext("2d").putImageData(E,0,0)},[e,o,r,M,i,d]);let T=E=>{let A=f.current.getBoundingClientRect(),[S,O]=[Math.floor((E.clientY-A.top)/A.height*v),Math.floor((E.clientX-A.left)/A.width*b)];return S>=0&&O>=0&&S<v&&O<b?s+S*b+O:null},k=E=>(x(E),p(E===null?null:[o,E])),P=E=>{let A={ArrowUp:-b,ArrowDown:b,ArrowLeft:-1,ArrowRight:1}[E.key];if(!A)return;E.preventDefault();let O=(o<s?s:o)+A;O>=s&&O<n&&(x(null),u(O))},C=E=>E<s?"the class token":`row ${Math.floor((E-s)/b)+1}, column ${(E-s)%b+1}`,D=(E,A)=>E>=s&&h`<rect class=${A} x=${(E-s)%b*y}
    y=${Math.floor((E-s)/b)*y} width=${y} height=${y} />`,B=N.indexOf(Math.max(...N));return h`<div class="maps-patches" tabindex="0" role="application" aria-roledescription="picture of patches" aria-label=${c} aria-describedby=${$}
    style=${{width:`${_}px`,height:`${w}px`}} onKeyDown=${P} onPointerMove=${E=>k(T(E))} onPointerLeave=${()=>k(null)}
    onClick=${E=>T(E)!==null&&u(T(E))}>
    <canvas ref=${m} class=${t.width<64?"coarse":""}></canvas><canvas ref=${f} class="coarse"></canvas>
    <svg width=${_} height=${w} aria-hidden="true">${g!==null&&D(g,"pointed")}${D(o,"query")}</svg>
    <span id=${$} class="unseen" aria-live="polite">${C(o)} looks most at ${C(B)}, ${R(N[B])}; the arrow keys choose the patch that looks</span>
  </div><${bh} most=${M} signed=${i} />`}var[se,ve,qi]=[26,22,4];function gr({thumbs:t,minus:e,colour:n,layer:s,head:r,onChoose:o,label:a,width:i}){let l=ct(),c=z(null),u=V(),[p,d]=j(null),m=Math.max(...t.map(_=>_.length)),f=Math.max(18,Math.min(84,Math.floor((i-se)/m)-qi)),$=f+qi,[g,x]=[se+m*$,ve+t.length*$];lt(()=>{let _=Math.min(2,globalThis.devicePixelRatio||1),w=c.current;w.width=Math.round(m*$*_),w.height=Math.round(t.length*$*_);let N=w.getContext("2d");N.scale(_,_),t.forEach((M,T)=>M.forEach((k,P)=>{let C=e?.[T]?.[P],D=C?kh(k,C):_h(k,n);N.imageSmoothingEnabled=k.columns>f*_,N.drawImage(D,P*$,T*$,f,f)}))},[t,e,n,f,l]);let v=_=>{let w=c.current.getBoundingClientRect(),[N,M]=[Math.floor((_.clientY-w.top)/$),Math.floor((_.clientX-w.left)/$)];return N>=0&&M>=0&&t[N]?.[M]?[N,M]:null},b=_=>{let w={ArrowUp:[-1,0],ArrowDown:[1,0],ArrowLeft:[0,-1],ArrowRight:[0,1],Home:[0,-r],End:[0,m]}[_.key];if(!w||!o)return;_.preventDefault();let N=Math.max(0,Math.min(t.length-1,s+w[0]));o(N,Math.max(0,Math.min(t[N].length-1,r+w[1])))},y=([_,w],N)=>h`<rect class=${N} x=${se+w*$-2} y=${ve+_*$-2} width=${f+4} height=${f+4} rx="4" />`;return h`<div class="maps-overview" style=${{width:`${g}px`,height:`${x}px`}} tabindex="0" role="application"
    aria-roledescription="grid of heads" aria-label=${a} aria-describedby=${u} data-heads=${`${t.length}x${m}`} onKeyDown=${b}
    onPointerMove=${_=>d(v(_))} onPointerLeave=${()=>d(null)}
    onClick=${_=>v(_)&&o?.(...v(_))} aria-disabled=${o?null:"true"}>
    <canvas ref=${c} style=${{left:`${se}px`,top:`${ve}px`,width:`${m*$}px`,height:`${t.length*$}px`}}></canvas>
    <svg width=${g} height=${x} aria-hidden="true">
      ${t.map((_,w)=>h`<text class=${w===s?"now":""} x=${se-8} y=${ve+w*$+f/2} dy="0.35em"
        text-anchor="end">${w+1}</text>`)}
      ${Array.from({length:m},(_,w)=>h`<text class=${w===r?"now":""} x=${se+w*$+f/2} y=${ve-8}
        text-anchor="middle">${w+1}</text>`)}
      ${t.map((_,w)=>_.map((N,M)=>h`<rect class="cell" x=${se+M*$-.5} y=${ve+w*$-.5} width=${f+1}
        height=${f+1} rx="2" />`))}
      ${p&&o&&y(p,"pointed")}${y([s,r],"chosen")}
    </svg>
    <span id=${u} class="unseen"
      aria-live="polite">layer ${s+1} of ${t.length}, head ${r+1} of ${t[s]?.length}${o?"; use the arrow keys to move":""}</span>
  </div>`}var wh=()=>globalThis.document.createElement("canvas");function _h({bytes:t,rows:e,columns:n,limit:s},r){let o=new Uint32Array(Zt("weight").buffer),a=r==="own"&&s>0?1/Math.sqrt(s):1,i=Uint32Array.from({length:256},(l,c)=>o[Math.min(255,Math.round(c*a))]);return Bi(e,n,l=>i[t[l]])}function kh(t,e){let n=new Uint32Array(Zt("signed").buffer),s=Math.max(t.limit,e.limit,1e-6);return Bi(t.rows,t.columns,r=>{let o=(t.bytes[r]/255)**2-(e.bytes[r]/255)**2;return n[Math.max(0,Math.min(255,Math.round(255*(.5+o/s/2))))]})}function Bi(t,e,n){let s=wh();[s.width,s.height]=[e,t];let r=new ImageData(e,t),o=new Uint32Array(r.data.buffer);for(let a=0;a<o.length;a++)o[a]=n(a);return s.getContext("2d").putImageData(r,0,0),s}var Rt=40;function Ki({ask:t,sides:e,heads:n,kind:s,layer:r,head:o,state:a,change:i,actions:l,differs:c,isFile:u,isLarge:p}){let[d,m]=X(),[f,$]=j(null),[g,x]=n.map(({tile:S})=>S),v=!!e[1].maps,[b,y]=e,_=s.layers[r].grid,w=e.map(({maps:S,request:O})=>ji(t,S?.pictured?{key:S.key}:null,O));W(()=>$(null),[b.maps?.key,y.maps?.key,s.name]);let N=g&&x&&String(g.shape)===String(x.shape),M=v&&a.compare==="difference",T=U(()=>M&&N?Nh(g.weights,x.weights):null,[M,g?.weights,x?.weights]),k=[..._&&w[0]?[["picture","Picture"]]:[],["matrix","Matrix"],["lines","Lines"]],P=k.some(([S])=>S===a.show)?a.show:k[0][0],C=`Layer ${r+1}, head ${o+1}`,D={kind:s,layer:r,head:o,state:a,change:i,show:P,setPoint:$,grid:_,near:a.near,isFile:u},B=Math.max(g?.limit??0,v&&x?.limit||0),E=Math.max(160,v&&!M?(m-24)/2:m),A=M&&g&&x&&!N;return h`<${q} title=${C} class="maps-head" actions=${h`<div class="row maps-nameless">${k.length>1&&h`<fieldset
    class="maps-held" disabled=${u&&p}><${tt} label="Show as" value=${P} options=${k}
      onChange=${S=>i({show:S})} /></fieldset>`}${l}</div>`}>
    <div ref=${d} class="maps-pair">
      ${g&&m>0&&(M&&!A?T&&h`<${xr} tile=${{...g,weights:T,limit:Ch(T)}} signed maps=${b.maps} image=${w[0]}
          width=${E} name="First minus second" ...${D} />`:h`<${xr} tile=${{...g,limit:B}} maps=${b.maps} image=${w[0]} width=${A?(m-24)/2:E}
          name=${v?"First":null} ...${D} />
            ${v&&x&&h`<${xr} tile=${{...x,limit:B}} maps=${y.maps} image=${w[1]}
              width=${A?(m-24)/2:E} name="Second" ...${D} />`}`)}
    </div>
    ${A&&h`<p class="hint maps-refused">
      A difference needs maps of one shape: these are ${g.shape.join(" × ")} and ${x.shape.join(" × ")}, so they are shown side by side.</p>`}
    ${M&&!A&&c&&h`<p class="maps-warned" role="status">The two read different inputs: differences may
      come from the inputs, not from the model or its training.</p>`}
    <${I} error=${n[0].error??n[1].error} />
    ${g&&h`<${Th} ask=${t} layer=${r} head=${o} show=${P} point=${f??a.pin} pinned=${!f}
      tiles=${[g,v?x:null]} sides=${e} kind=${s} />
      ${[g,v?x:null].map((S,O)=>S&&h`<${Eh} key=${O} ask=${t} maps=${e[O].maps} kind=${s} layer=${r}
        head=${o} grid=${_} of=${v?["First: a","Second: a"][O]:"A"} />`)}
      ${a.pin&&h`<${Ph} ask=${t} sides=${e} kind=${s} layer=${r} head=${o} pin=${a.pin} isTwo=${v}
        onUnpin=${()=>(d.current.querySelector(".maps-one [tabindex='0']")?.focus(),i({pin:null}))} tiles=${[g,x]} />`}`}
  </${q}>`}function xr({tile:t,maps:e,image:n,width:s,name:r,signed:o,kind:a,layer:i,head:l,state:c,change:u,show:p,setPoint:d,grid:m,near:f,isFile:$}){let[g,x]=t.shape,v=(C,D)=>e.axes[C]?e.axes[C].slice(D):null,[b,y]=[v(a.rows,t.rows[0]),v(a.columns,t.columns[0])],_=o?t.limit:c.colour==="own"&&t.limit||1,w=`weights of layer ${i+1}, head ${l+1}${r?`, ${r}`:""}: ${a.rows} by ${a.columns}`,N=(C,D)=>u({pin:[t.rows[0]+C*t.pool,D===null?null:t.columns[0]+D*t.pool]}),M=(C,D)=>d(C==null?null:[t.rows[0]+C*t.pool,t.columns[0]+D*t.pool]),T=c.pin&&c.pin[1]!==null?Vi(c.pin,t):null,k=a.layers[i],P;if(p==="picture"&&m&&n&&!f){let C=Math.min(c.pin?.[0]??e.first+Math.floor(m[0]/2)*m[1]+Math.floor(m[1]/2),x-1);P=h`<${Wi} image=${n} weights=${t.weights} count=${x} first=${e.first} grid=${m} query=${C}
      limit=${o||c.colour==="one"?_:null} signed=${o} side=${Math.min(s,440)} label=${w}
      onQuery=${D=>u({pin:[D,null]})} onPoint=${d} />
      ${e.first>0&&h`<button class="quiet" aria-pressed=${C<e.first}
        onClick=${()=>u({pin:[0,null]})}>From the class token</button>`}`}else if(p==="lines"){let C=g<k.rows||x<k.columns;P=h`${C&&h`<div class="row"><${Hi} near=${f??[0,0]} whole=${k} change=${u} isFile=${$} fixed /></div>`}<${Sh}
      tile=${t} rowNames=${b} columnNames=${y} width=${s} limit=${o?t.limit:t.limit||1} label=${w} state=${c}
      pin=${N} pointed=${d} />`}else{let C=ai(m?null:b?.slice(0,g),Math.max(g,x),s),D=Math.ceil(Math.max(g,x)/Math.max(C,64)),B=ar(t.weights,g,x,D),E=m||D>1?[null,null]:[b?.slice(0,g),y?.slice(0,x)],A=(L,F)=>{let at=B.at?.[L*B.columns+F];return at?[Math.floor((at-1)/x),(at-1)%x]:[L*D,F*D]},S=(L,F)=>{let[at,Et]=A(L,F);return`${b?.[at*t.pool]??at+1} to ${y?.[Et*t.pool]??Et+1}: ${R(t.weights[at*x+Et])}`},O=h`<${Ct} data=${B.data} rows=${B.rows} columns=${B.columns} scale=${o?"signed":"weight"} limit=${_}
      label=${w} side=${C} says=${S} rowNames=${E[0]} columnNames=${E[1]}
        chosen=${T?.map(L=>Math.floor(L/D))} onChoose=${(L,F)=>N(...A(L,F))}
        onPoint=${(L,F)=>L===null?M(null):M(...A(L,F))} />`;P=h`${O}
      <div class="row maps-under"><${xe} scale=${o?"signed":"weight"} limit=${_}
        label=${o?"first minus second":_<.995?"and above":"weight"} />
        ${Math.max(k.rows,k.columns)>Rt&&h`<${Hi} near=${f} whole=${k} pin=${c.pin} change=${u} isFile=${$} />`}</div>
      ${t.pool*D>1&&h`<p
        class="hint">Each pixel is the strongest of ${t.pool*D} × ${t.pool*D} weights; look closer to see each.</p>`}`}return h`<div class="maps-one">${r&&h`<h3>${r}</h3>`}${P}</div>`}function Hi({isFile:t,...e}){return h`<fieldset class="maps-held row" disabled=${t}><${Mh} ...${e} /></fieldset>`}function Mh({near:t,whole:e,pin:n,change:s,fixed:r}){if(!t){let o=(a,i)=>Math.max(0,Math.min(i-Rt,Math.round((a??0)-Rt/2)));return h`<button onClick=${()=>s({near:[o(n?.[0],e.rows),o(n?.[1]??n?.[0],e.columns)]})}>Look closer</button>`}return h`${!r&&h`<button onClick=${()=>s({near:null})}>The whole map</button>`}
    <${ot} label="Rows from" value=${t[0]+1} min=${1} max=${Math.max(1,e.rows-Rt+1)} step=${1}
      onChange=${o=>s({near:[o-1,t[1]]})} />
    <${ot} label="Columns from" value=${t[1]+1} min=${1} max=${Math.max(1,e.columns-Rt+1)} step=${1}
      onChange=${o=>s({near:[t[0],o-1]})} />`}function Sh({tile:t,rowNames:e,columnNames:n,width:s,limit:r,label:o,state:a,pin:i,pointed:l}){let[c,u]=t.shape,[p,d]=j(0),m=Math.max(c,u),f=Math.min(p,Math.max(0,m-Bt)),$=y=>[Math.min(f,Math.max(0,y-Bt)),Math.min(f+Bt,y)],[g,x]=[$(c),$(u)],v=U(()=>{let y=new Float32Array((g[1]-g[0])*(x[1]-x[0]));for(let _=g[0];_<g[1];_++)y.set(t.weights.subarray(_*u+x[0],_*u+x[1]),(_-g[0])*(x[1]-x[0]));return y},[t.weights,g[0],g[1],x[0],x[1]]),b=y=>Un(v.subarray(y*(x[1]-x[0]),(y+1)*(x[1]-x[0])),1)[0]??0;return h`${m>Bt&&h`<${ot} label="Tokens from" value=${f+1} min=${1} max=${m-Bt+1} step=${1}
    onChange=${y=>d(y-1)} />`}
    <${Fi} weights=${v} rows=${g[1]-g[0]} columns=${x[1]-x[0]} rowNames=${e?.slice(g[0])} columnNames=${n?.slice(x[0])}
      width=${s} limit=${r} label=${o}
      pinned=${a.pin?a.pin[0]-t.rows[0]-g[0]:null} first=${0}
      onPoint=${y=>l(y===null?null:[t.rows[0]+g[0]+y,t.columns[0]+x[0]+b(y)])} onPin=${y=>i(g[0]+y,x[0]+b(y))} />
    <p class="hint">${m>Bt?`${Bt} tokens of each side; f`:"F"}aint weights have no line.</p>`}var Nh=(t,e)=>t.map((n,s)=>n-e[s]),Ch=t=>t.reduce((e,n)=>Math.max(e,Math.abs(n)),1e-9);function Vi([t,e],n){let[s,r]=[Math.floor((t-n.rows[0])/n.pool),Math.floor((e-n.columns[0])/n.pool)];return s>=0&&r>=0&&s<n.shape[0]&&r<n.shape[1]?[s,r]:null}var Ui=(t,e,n)=>`${t.axes[e]?.[n]??""}`,Vn=(t,e,n,s)=>e.layers[0].grid||!t.axes[n]?Ui(t,n,s)||`${n} ${s+1}`:`${Ui(t,n,s)}`,Ah={matrix:"Point at the map, or use the arrow keys; click or press Enter to pin.",lines:"Point at a token on the left, or use the arrow keys, to see its lines alone; click or press Enter to pin.",picture:"Click a patch, or use the arrow keys, to choose the patch that looks, which is framed. Point to read its weights."};function Th({ask:t,layer:e,head:n,show:s,point:r,pinned:o,tiles:a,sides:i,kind:l}){let c=i[0].maps,u=r&&r[1]!==null&&a[0].pool>1?a[0].pool:0,p=u?{rows:[r[0],r[0]+u],columns:[r[1],r[1]+u],most:16}:null,d=ne(t,p&&{key:c.key,kind:l.name,layer:e,head:n,...p},i[0].request),m=ne(t,p&&a[1]?{key:i[1].maps.key,kind:l.name,layer:e,head:n,...p}:null,i[1].request),f=d.tile&&r&&d.tile.rows[0]===r[0]&&d.tile.columns[0]===r[1];if(u&&f&&d.tile.pool===1){let y=Un(d.tile.weights,1)[0]??0;r=[r[0]+Math.floor(y/d.tile.shape[1]),r[1]+y%d.tile.shape[1]],a=[d.tile,m.tile]}let $=r;if(!$||$[1]===null)return h`<p class="maps-reading hint">${Ah[s]}</p>`;let g=a.map(y=>{let _=y&&Vi($,y);return _?y.weights[_[0]*y.shape[1]+_[1]]:null}),x=[Vn(c,l,l.rows,$[0]),Vn(c,l,l.columns,$[1])],v=l.layers[0].grid?"":` (${$[0]+1} → ${$[1]+1})`,b=a[0].pool>1?", the largest around":"";return h`<p class="maps-reading" data-reading>${o?"Pinned: ":""}<b>${x[0]}</b> → <b>${x[1]}</b><span
    class="hint">${v}${b}</span>
    <span class="maps-number" data-weight=${g[0]}>${R(g[0],4)}</span>
    ${a[1]&&h`<span class="hint maps-and">second</span><span class="maps-number">${R(g[1],4)}</span>
      <span class="hint maps-and">difference</span><span class="maps-number">${g[1]===null?"–":R(g[0]-g[1],4)}</span>`}</p>`}function Eh({ask:t,maps:e,kind:n,layer:s,head:r,grid:o,of:a}){let{response:i}=J(t,"facts",{key:e.key,kind:n.name,layer:s,head:r}),l=i&&n.rows===n.columns&&!o?`, ${R(i.distance,2)} tokens away on average`:"",c={float32:"",float16:" Weights are kept to 3 digits.",uint8:" Weights are kept to about 1/255 of their root."}[e.type],u=i&&`${a} query looks at about ${R(2**i.entropy,2)} tokens: ${R(i.entropy,3)} bits of entropy${l}.${c}`;return h`<p class="hint maps-facts" data-entropy=${i?.entropy}>${u??" "}</p>`}function Oh(t,e,n){return!t||!e||t.pool>1||t.rows[0]>0||t.shape[0]<e.rows||t.shape[1]<e.columns||n>=e.rows?null:t.weights.subarray(n*t.shape[1],(n+1)*t.shape[1])}function Ph({ask:t,sides:e,kind:n,layer:s,head:r,pin:o,isTwo:a,onUnpin:i,tiles:l}){let c=e.map(v=>v.maps?.kinds.find(b=>b.name===n.name)?.layers[s]),u=l.map((v,b)=>Oh(v,c[b],o[0])),p=v=>{let b=e[v];return!u[v]&&c[v]&&o[0]<c[v].rows&&r<c[v].heads?{key:b.maps.key,kind:n.name,layer:s,head:r,rows:[o[0],o[0]+1],most:4096}:null},d=[ne(t,p(0),e[0].request),ne(t,a?p(1):null,e[1].request)],m=u[0]??d[0].tile?.weights;if(!m)return null;let f=a?u[1]??d[1].tile?.weights:null,$=e[0].maps,g=Un(m),x=m[g[0]]||1;return h`<div class="maps-pinned">
    <div class="panel-head"><h3>What ${Vn($,n,n.rows,o[0])}${n.layers[0].grid?"":` (${o[0]+1})`} looks at most</h3>
      <button class="quiet" onClick=${i}>Unpin</button></div>
    <table class="lines" data-pinned=${o[0]}><thead><tr><th>Key</th><th class="number">Position</th><th class="number">Weight</th>${f&&h`<th
      class="number">Second</th>`}<th><span class="unseen">Bar</span></th></tr></thead>
      <tbody>${g.map(v=>h`<tr><td>${Vn($,n,n.columns,v)}</td><td class="number">${v+1}</td><td
        class="number">${R(m[v],4)}</td>
        ${f&&h`<td class="number">${v<f.length?R(f[v],4):"–"}</td>`}
        <td class="maps-bar"><span style=${{width:`${100*m[v]/x}%`}}></span></td></tr>`)}</tbody></table>
  </div>`}var Lh=8*2**20;function Gi(t,{model:e,text:n,target:s,image:r,step:o,picture:a},i){let l=Gn(t,e);if(!l)return null;let c={model:l.name};if(o!==null&&l.steps.includes(o))return{...c,step:o};if(l.takes==="image")return i.has(a)?{...c,picture:i.get(a)}:{...c,image:yr(l,r)};if(l.takes==="nothing")return c;let u=n??l.examples[0]??"";return l.takes==="pair"?{...c,text:u,target:s}:{...c,text:u}}var yr=(t,e)=>Math.max(0,Math.min(t.images-1,Math.round(e)||0));function Gn(t,e){if(!t?.length)return null;let n=t.find(s=>s.group==="Notebook"||s.group==="Model folders")??t.find(s=>s.group==="Shipped");return t.find(s=>s.name===e)??n??t[0]}function Ji(t,{text:e,target:n,image:s,step:r,picture:o}){let a={model:t.name,text:e,target:n,image:s,step:r,picture:o},i=t.examples.find(u=>u!==(e??t.examples[0]));if(!t.steps.includes(r)&&(t.takes==="text"||t.takes==="pair"||e!==null)&&i!==void 0)return{...a,text:i,target:""};let c=t.steps.find(u=>u!==r);return c!==void 0?{...a,step:c}:{...a,image:zh(t,s,o),picture:""}}var zh=(t,e,n)=>n?e:(e+1)%Math.max(1,t.images);function br({request:t,maps:e}){if(!t||!e)return null;let n=e.axes.read??e.axes.tokens;return n?n.join(n.every(s=>[...s].length===1)?"":" ").replaceAll("␣"," "):e.pictured?t.picture??`image no. ${t.image??0}`:null}var Rh=t=>t.length>240?`${t.slice(0,239)}…`:t;function wr({models:t,value:e,set:n,pictures:s,open:r,side:o,title:a,place:i}){let l=Gn(t,e.model),c=$=>t.filter(g=>g.group===$).map(g=>[g.name,g.label]),u=[...new Set(t.map($=>$.group))].map($=>[$,c($)]),p=e.step!==null&&l.steps.includes(e.step),d=$=>n({model:$,text:null,target:"",step:null}),m=o.maps?.caption,f=p&&o.isNow?br(o):null;return h`<div class="maps-input" role="group" aria-label=${a}>
    <div class="row">
      <${et} label="Model" value=${l.name} options=${u} onChange=${d} />
      ${l.steps.length>0&&h`<${et} label="Training" value=${p?e.step:""}
        onChange=${$=>n({step:$===""?null:Number($)})}
        options=${[["","done"],...l.steps.map($=>[$,`step ${$.toLocaleString("en")}, recorded`])]} />`}
      ${!p&&l.takes!=="image"&&l.examples.length>1&&h`<${et} label="Try" value="" onChange=${$=>$&&n({text:$})}
        options=${[["","an example"],...l.examples.map($=>[$,$.replace(`
`," ").slice(0,40)])]} />`}
    </div>
    ${p||l.takes==="nothing"?null:l.takes==="image"?h`<${Dh} one=${l} value=${e} set=${n} pictures=${s}
      open=${r} place=${i} />`:h`<${ht} label=${l.takes==="letters"?"A string of a, b, c and d":l.takes==="pair"?"Source":"Text"}
        value=${e.text??l.examples[0]??""}
          lines=${l.takes==="letters"?0:2} max=${4e4} onChange=${$=>n({text:$})} />`}
    ${!p&&l.takes==="pair"&&h`<${ht} label="Target (empty: what the model writes)" value=${e.target} lines=${2} max=${4e4}
      onChange=${$=>n({target:$})} />`}
    ${f&&h`<p>Reads ${l.takes==="image"?"the recorded image":h`<span class="maps-read">${Rh(f)}</span>, as it was recorded`}.</p>`}
    ${m&&!(f&&m==="as recorded")&&h`<p class="hint">${m}</p>`}
  </div>`}function Dh({one:t,value:e,set:n,pictures:s,open:r,place:o}){let a=V(),[i,l]=j(null),c=m=>{if(!m)return;if(m.size>Lh)return l(`a picture must have at most 8 MB: this has ${(m.size/2**20).toFixed(1)} MB`);l(null);let f=new FileReader;f.onload=()=>r(m.name.slice(0,60),f.result.slice(f.result.indexOf(",")+1)),f.onerror=()=>l("this file cannot be read"),f.readAsDataURL(m)},u=yr(t,e.image),p=s.has(e.picture)?e.picture:"",d=m=>n({picture:"",image:yr(t,m)});return h`<div class="row">
    <div class="control"><label for=${a}>Test image no.</label>
      <input id=${a} type="number" min="0" max=${t.images-1} value=${u} onChange=${m=>d(Number(m.target.value))} />
    </div>
    <span class="row maps-tight"><button onClick=${()=>d(u-1)} disabled=${u<=0} aria-label="Previous image">‹</button>
      <button onClick=${()=>d(u+1)} disabled=${u>=t.images-1} aria-label="Next image">›</button></span>
    <label class="maps-file"><input type="file" accept="image/png,image/jpeg,image/webp,image/gif,image/bmp"
      onChange=${m=>c(m.target.files[0])} />
      <span>${p?p.slice(0,28):"Open a picture …"}</span></label>
    ${p&&h`<button class="quiet" onClick=${()=>d(u)}>Use the test image</button>`}
    ${p&&o==="page"&&h`<p class="hint maps-line">A link does not include your picture; a saved HTML file does.</p>`}
    ${e.picture&&!p&&h`<p class="hint maps-line">${e.picture} is not available, because a link does not include pictures: open it again.
      Until then a test image is shown.</p>`}
    ${i&&h`<p class="error">${i}</p>`}
  </div>`}var jh=8,vr=new WeakMap,Xi=(t,e)=>new Map([...Object.entries(e??{}),...vr.get(t)??[]]);function Yi(t,e,n){let s=vr.get(t)??new Map,r=e;for(let o=2;s.has(r)&&s.get(r)!==n;o++)r=`${e} (${o})`;return s.delete(r),vr.set(t,new Map([...s,[r,n]].slice(-jh))),r}var _r=(t,e)=>Object.fromEntries(e.filter(n=>t.has(n)).map(n=>[n,t.get(n)]));var el={model:"",text:null,target:"",image:0,step:null,picture:""},qh={...el,other:null,compare:"side",kind:"",layer:0,head:0,show:"",colour:"own",pin:null,near:null},nl=512,Fh=6*2**20;function Ih({ask:t,state:e,change:n,place:s}){let r=J(t,"models",{}),o=r.response?.models??null,a=Xi(t,e.pictures),i=typeof e.other=="object"&&e.other?{...el,...e.other}:null,l=Qi(t,o,e,a),c=Qi(t,o,i,a),u=Bh(l,c,e.kind),[p,d]=Hh(u,e.layer,e.head),m=u?{...e,...Uh(u.layers[p],e)}:e,f=Zi(t,l,u,p,d,m),$=Zi(t,c,u,p,d,m),g=z(null);if(r.error)return h`<${I} error=${r.error} />`;if(!o)return h`<${I} waiting=${r.waiting} />`;if(!o.length)return h`<p>There is no model with attention here. Name a folder: <code>regard explore FOLDER</code>.</p>`;let x=T=>n({...T,pin:null,near:null}),v=T=>n({other:{...i,...T},pin:null,near:null}),b=T=>n({other:T?Ji(Gn(o,e.model),e):null,near:null}),y=[e.picture,i?.picture],_=T=>(k,P)=>{let C=Yi(t,k,P);s==="notebook"&&n({pictures:{..._r(a,y),[C]:P}}),T({picture:C})},w=s==="file",N=rl(l,c),M=[l,c].filter(T=>T.maps);return h`<div class="maps" ref=${g}>
    <${q} class="maps-top">
      <fieldset class="maps-held maps-inputs" disabled=${w}>
        <${wr} title=${i?"First":"Model and input"} models=${o} value=${e} set=${x} pictures=${a}
          open=${_(x)} side=${l} place=${s} />
        ${i&&h`<${wr} title="Second" models=${o} value=${i} set=${v} pictures=${a}
          open=${_(v)} side=${c} place=${s} />`}
      </fieldset>
      <div class="row maps-nameless">
        <fieldset class="maps-held" disabled=${w}><${bt} label="Compare with a second" value=${i!==null} onChange=${b} /></fieldset>
        ${i&&h`<${tt} label="How" value=${e.compare} options=${[["side","Side by side"],["difference","Difference"]]}
          onChange=${T=>n({compare:T})} />`}
        ${w&&h`<span class="hint">Saved file: run <code>regard explore</code> to change what is greyed out.</span>`}</div>
      <${I} error=${l.error??c.error} waiting=${l.waiting||c.waiting}>the model reads …<//>
    </${q}>
    ${u&&h`<div class="maps-body">
      <${Kh} ask=${t} sides=${M} kind=${u} layer=${p} head=${d} state=${m}
        kinds=${N} change=${n} isFile=${w} />
      <${Ki} ask=${t} sides=${[l,c]} heads=${[f,$]} kind=${u} layer=${p} head=${d} state=${m} change=${n}
        differs=${Wh(l,c)} isFile=${w} isLarge=${al(u.layers[p])}
        actions=${h`<${nt} name=${`maps-layer-${p+1}-head-${d+1}`} of=${g} ask=${t} view="maps" place=${s}
          state=${{...e,pictures:_r(a,y)}}
          numbers=${()=>Gh([f,$],[l,c],u)} saves=${()=>Jh(M,u,p,d,m)} />`} />
    </div>`}
  </div>`}function Qi(t,e,n,s){let r=e&&n?Gi(e,n,s):null,{response:o,error:a,waiting:i,of:l}=J(t,"maps",r),c=r&&JSON.stringify(r),u=!!r&&l===c;return{request:r,isNow:u,maps:r&&(u||!a)?o:null,error:r?a:null,waiting:!!r&&i}}function Wh(t,e){let[n,s]=[t,e].map(r=>r.isNow?br(r):null);return n!==null&&s!==null&&n!==s}function Zi(t,e,n,s,r,o){let a=e.maps?.kinds.find(l=>l.name===n?.name),i=a?.layers[s]&&r<a.layers[s].heads;return ne(t,i?sl(e.maps,a,s,r,o):null,e.request)}function sl(t,e,n,s,{near:r,show:o}){let{rows:a,columns:i}=e.layers[n],l=ol({rows:a,columns:i},r)??(o==="lines"&&al({rows:a,columns:i})?[0,0]:null),c=l?{rows:[l[0],l[0]+Rt],columns:[l[1],l[1]+Rt]}:{};return{key:t.key,kind:e.name,layer:n,head:s,...c,most:nl}}var rl=(t,e)=>t.maps?.kinds.filter(n=>!e.maps||e.maps.kinds.some(s=>s.name===n.name))??[];function Bh(t,e,n){let s=rl(t,e);return s.find(r=>r.name===n)??s.find(r=>r.name==="cross")??s[0]??null}var Xe=(t,e)=>Math.max(0,Math.min(e-1,Math.round(t)||0));function Hh(t,e,n){if(!t)return[0,0];let s=Xe(e,t.layers.length);return[s,Xe(n,t.layers[s].heads)]}function Uh({rows:t,columns:e},{pin:n,near:s}){let r=typeof n?.[1]=="number"?Xe(n[1],e):null;return{pin:Array.isArray(n)?[Xe(n[0],t),r]:null,near:ol({rows:t,columns:e},s)}}var ol=({rows:t,columns:e},n)=>Array.isArray(n)?[t,e].map((s,r)=>Xe(n[r],Math.max(1,s-Rt+1))):null,al=({rows:t,columns:e})=>Math.max(t,e)>nl;function Kh({ask:t,sides:e,kind:n,kinds:s,layer:r,head:o,state:a,change:i,isFile:l}){let[c,u]=X(),p=[0,1].map(y=>Di(t,e[y]?{key:e[y].maps.key,kind:n.name}:null,e[y]?.request)),d=l&&!e.every(({maps:y})=>ll(il(y,n),a)),m=d?"head":l&&s.length>1?"kind":null,f=d?null:(y,_)=>i({layer:y,head:_}),[$,g]=p.map(y=>y.thumbs),x=e.length>1&&a.compare==="difference"&&$&&g&&Vh($,g),v=`${n.layers.length} layers of heads, ${n.title}`,b={colour:a.colour,layer:r,head:o,onChoose:f,width:Math.max(u,120)};return h`<${q} title="All heads" class="maps-all" note="A row for each layer, a column for each head." >
    ${s.length>1&&h`<fieldset class="maps-held maps-nameless" disabled=${l}><${tt} label="Kind" value=${n.name}
      options=${s.map(y=>[y.name,y.title])} onChange=${y=>i({kind:y,pin:null,near:null})} /></fieldset>`}
    <div ref=${c} class="maps-grids">
      ${$&&u>0&&h`<div>${e.length>1&&h`<h3>${x?"First minus second":"First"}</h3>`}
        <${gr} thumbs=${$} minus=${x?g:null} label=${v} ...${b} /></div>`}
      ${g&&u>0&&e.length>1&&!x&&h`<div><h3>Second</h3><${gr} thumbs=${g}
        label=${`${v}, second`} ...${b} /></div>`}
    </div>
    ${m&&h`<p class="hint">Saved with one ${m}: run <code>regard explore</code> for the others.</p>`}
    <${I} error=${p[0].error??p[1].error} />
    <${tt} label="Colours" value=${a.colour} options=${[["own","own scale"],["one","0 to 1"]]} onChange=${y=>i({colour:y})} />
  </${q}>`}var tl=t=>JSON.stringify(t.map(e=>e.map(({rows:n,columns:s})=>[n,s]))),Vh=(t,e)=>tl(t)===tl(e);function Gh(t,e,n){let s={};return t.forEach(({tile:r},o)=>{if(!r)return;let a=(i,[l,c])=>e[o].maps.axes[i]?.slice(l,c).filter((u,p)=>p%r.pool===0);s[o?"second":"weights"]={shape:r.shape,data:r.weights,rows:a(n.rows,r.rows),columns:a(n.columns,r.columns)}}),s}var il=(t,e)=>t.kinds.find(n=>n.name===e.name)??e,ll=({layers:t},{near:e})=>!e&&t.reduce((n,s)=>n+4*s.heads*s.rows*s.columns,0)<=Fh;function Jh(t,e,n,s,r){let o=[["models",{}]];for(let{request:a,maps:i}of t){let l=il(i,e),c=l.layers.flatMap((u,p)=>Array.from({length:u.heads},(d,m)=>[p,m]));o.push(["maps",a],["overview",{key:i.key,kind:e.name}]),i.pictured&&o.push(["picture",{key:i.key}]);for(let[u,p]of ll(l,r)?c:[[n,s]])o.push(["tile",sl(i,l,u,p,r)],["facts",{key:i.key,kind:e.name,layer:u,head:p}]);r.pin&&o.push(["tile",{key:i.key,kind:e.name,layer:n,head:s,rows:[r.pin[0],r.pin[0]+1],most:4096}])}return o}var cl={name:"maps",title:"Maps",about:"What each head of a model looks at in your text or picture. Choose a head; point at a token to read its numbers.",state:qh,View:Ih};var ul=[[1e18,"E"],[1e15,"P"],[1e12,"T"],[1e9,"G"],[1e6,"M"],[1e3,"k"],[1,""],[.001,"m"],[1e-6,"µ"],[1e-9,"n"]];function kr(t,e){if(t==null)return"–";let n=Number(t.toPrecision(3));if(n===0)return`0 ${e}`;let[s,r]=ul.find(([o])=>Math.abs(n)>=o*.9999999)??ul.at(-1);return`${Number((n/s).toPrecision(3))} ${r}${e}`}var gt={flops:{name:"FLOPs",unit:"FLOP",axis:"FLOPs",about:"work of matrix products, two per multiply-add"},bytes:{name:"Bytes moved",unit:"B",axis:"bytes moved",about:"what must cross the memory bus"},memory:{name:"Memory",unit:"B",axis:"bytes at the peak",about:"the peak beyond the inputs"},seconds:{name:"Time",unit:"s",axis:"microseconds, predicted",times:1e6,about:"predicted for the machine chosen"}},H=t=>t.toLocaleString("en"),Jn=(t,e)=>rt(t/e,3);function Mr({claim:t,place:e}){return!t||e!=="page"?null:h` (<a href=${`#claims?${encodeURIComponent(JSON.stringify({claim:t}))}`}>${t}</a>)`}function Ht({label:t,value:e,values:n,onChange:s,says:r=H}){let o=n.reduce((a,i,l)=>Math.abs(Math.log(i/e))<Math.abs(Math.log(n[a]/e))?l:a,0);return h`<${ot} label=${t} value=${o} min=${0} max=${n.length-1} step=${1}
    onChange=${a=>s(n[a])} says=${a=>r(a===o?e:n[a])} />`}function Sr(t,e){let n=[];for(let s=t;s<=e;s*=2)n.push(...s*1.5<=e?[s,s*1.5]:[s]);return n}var Ye=["flops","bytes","memory","seconds"];function dl({found:t,saving:e}){let n=z(null),s=t.response,r=s?.candidates.filter(l=>l.refusal===null)??[],o=s?.candidates.filter(l=>l.refusal!==null)??[],i=s&&h`<${nt} name="plan" of=${n} numbers=${()=>{let l=r.flatMap(c=>Ye.map(u=>c[u]));return{plan:{shape:[r.length,Ye.length],data:l,rows:r.map(c=>c.name),columns:Ye,axes:["algorithm","cost"]}}}} ...${e} />`;return h`<${q} title="The plan" actions=${i}>
    <${I} error=${t.error} waiting=${!s&&t.waiting} lines=${6} />
    ${s&&h`<div ref=${n}>
      <p class="patterns-headline"><b data-chosen=${s.chosen}>${s.chosen}</b> is predicted to be the fastest <${ft} of="exact">exact<//> way to this mechanism.${Yh(s)}</p>
      ${hl(s)&&h`<p class="error" data-too-large>${hl(s)}</p>`}
      <p class="patterns-value">${s.value.replace("Content(beta=None)","Content()")}</p>
      <p class="note">${Object.entries(s.shape).map(([l,c])=>`${l} = ${H(c)}`).join(" · ")} · ${s.dtype} · ${s.device}</p>
      <p class="note">Times by the table ${s.device}: ${s.basis}.</p>
      <div class="scrolls" tabindex="0" role="region" aria-label="Algorithms and their costs"><table class="lines patterns-plan">
        <thead><tr><th>algorithm</th>
          ${Ye.map(l=>h`<th class="number" title=${gt[l].about}>${gt[l].name}</th>`)}</tr></thead>
        <tbody>
          ${r.map(l=>h`<tr class=${l.name===s.chosen?"patterns-chosen":""}>
            <th scope="row">${l.name}${l.name===s.chosen&&h` <span class="badge">chosen</span>`}</th>
            <${pl} one=${l} />
          </tr>`)}
          <tr class="patterns-full"><th scope="row">full attention, ${s.full.name}</th>
            <${pl} one=${{...s.full,name:"full"}} /></tr>
        </tbody>
      </table></div>
      ${o.length>0&&h`<details class="patterns-refused"><summary>${o.length} other algorithms would not be exact here, or cannot run</summary>
        <dl>${o.map(l=>h`<dt>${l.name}</dt><dd data-refusal=${l.name}>${l.refusal}</dd>`)}</dl></details>`}
    </div>`}
  <//>`}function pl({one:t}){return Ye.map(e=>h`<td class="number" data-cost=${`${t.name} ${e}`} title=${Xh(t[e],e)}>
    ${kr(t[e],gt[e].unit)}</td>`)}var Xh=(t,e)=>e==="seconds"?`${t} s`:`${H(t)} ${gt[e].unit}`;function Yh(t){let[e]=t.candidates,n=a=>Number((t.full[a]/e[a]).toPrecision(2)),s=(a,i)=>Number.isFinite(n(a))&&n(a)!==1?[`${n(a)} times the ${i}`]:[],r=[...s("flops","FLOPs"),...s("memory","memory"),...s("seconds","predicted time")],o=n("seconds")<1?" This mechanism saves no time at this size.":"";return r.length?` Full attention, another mechanism, takes ${r.join(", ").replace(/, ([^,]*)$/," and $1")}.${o}`:""}function hl({chosen:t,candidates:e,room:n,inputs:s,device:r}){let o=s+(e[0].memory??0);return n===null||o<=n?null:`It does not fit: ${t} needs ${kr(o,"B")} with q, k, v and the output, and ${r} has ${kr(n,"B")}. Use fewer tokens, heads or rows of a batch.`}var ml=["①","②","③","④"],Qh=t=>Math.abs(t)>=1e7?Pn(t):R(t);function fl({found:t,request:e,quantity:n,compare:s,change:r,saving:o,place:a}){let i=z(null),l=t.response,c=l?Zh(l,n,s):[],u=l&&s==="full"?ed(l,n):[],p=()=>{let m=g=>Object.keys(gt).map(x=>({name:`${g.name}, ${x}`,data:g[x]})),f=l.curves.flatMap(m).filter(g=>g.data.some(x=>x!==null)),$=l.tokens.flatMap((g,x)=>f.map(v=>v.data[x]));return{growth:{shape:[l.tokens.length,f.length],data:$,rows:l.tokens,columns:f.map(g=>g.name),axes:["tokens","cost"]}}},d=l&&h`<${nt} name="growth" of=${i} caption=${`How the cost of ${e.mask} grows with the number of tokens: ${gt[n].about}.`} numbers=${p} ...${o} />`;return h`<${q} title="How the cost grows" actions=${d}>
    <div class="row patterns-choices">
      <${tt} label="Show" value=${n} options=${Object.entries(gt).map(([m,f])=>[m,f.name])}
        onChange=${m=>r({quantity:m})} />
      <${tt} label="of" value=${s} options=${[["full","the mechanism and full attention"],["algorithms","each algorithm"]]}
        onChange=${m=>r({compare:m})} />
    </div>
    <${I} error=${t.error} waiting=${!l&&t.waiting} lines=${8} />
    ${l&&h`<div ref=${i}>
      <p class="patterns-axis">${gt[n].axis} <span aria-hidden="true">↑</span></p>
      <${zt} series=${c} label=${`${gt[n].name} against the number of tokens`} yLabel="" logX logY height=${300}
        xLabel=${l.sides?"tokens N, on square grids":"tokens N"} says=${Qh} marks=${td(u)} />
      ${u.length>0&&h`<ol class="patterns-crossings">
        ${u.map((m,f)=>h`<li><span aria-hidden="true">${ml[f]}</span><span><${sd} one=${m} request=${e} place=${a} /></span></li>`)}
      </ol>`}
      <p class="note"><${rd} curves=${c} />${s==="full"?` ${od(l)}`:""}</p>
    </div>`}
  <//>`}function Zh(t,e,n){let s=n==="full"?["ours","full","projections"]:["algorithm"],r=gt[e].times??1,o=a=>a.map(i=>i===null?NaN:i*r);return t.curves.filter(a=>s.includes(a.kind)&&a[e].some(i=>i>0)).map(a=>({name:a.name,x:t.tokens,y:o(a[e]),exponent:a.exponent[e]}))}function td(t){let e=new Map;return t.forEach((n,s)=>e.set(n.tokens,`${e.get(n.tokens)??""}${ml[s]}`)),[...e].map(([n,s])=>({x:n,name:s}))}function ed(t,e){let n=t.crossings.filter(r=>r.quantity===e&&(r.more||r.right!=="projections")),s=!n.some(r=>r.left==="this mechanism"&&r.right==="full attention")&&nd(t,e);return n.filter(r=>!(s&&r.left==="this mechanism")).sort((r,o)=>r.tokens-o.tokens)}function nd(t,e){let[n,s]=["ours","full"].map(r=>t.curves.find(o=>o.kind===r)[e]);return n.every((r,o)=>r===s[o])}function sd({one:t,request:e,place:n}){let s={flops:"costs",seconds:"takes"}[t.quantity]??"needs",r=t.right==="projections"?"eecs.2d":["softmax","hard"].includes(e.weighting)?"udl.8":"udl.10",o=t.right==="projections"?"the projections of q, k, v and the output":t.right,a=t.right==="projections"&&t.tokens===2*e.heads*e.width?": twice the width of all heads together":"",i=`on ${t.left} ${s} ${t.more?"at least as much as":"less than"} ${o}${a}`;return h`From ${t.exact?"":"about "}<b data-crossing=${`${t.left} ${t.right}`}>N = ${H(t.tokens)}</b> ${i}<${Mr} claim=${r} place=${n} />.`}function rd({curves:t}){let e=t.filter(n=>n.exponent!==null);return e.length?h`At the end they grow as ${e.map((n,s)=>h`${s?", ":""}N<sup>${n.exponent.toFixed(2)}</sup> (${n.name})`)}.`:null}function od(t){let n=t.chosen.map((s,r)=>[s,t.tokens[r]]).filter(([s],r)=>s&&s!==t.chosen[r-1]).map(([s,r],o)=>o?`${s} from ${H(r)}`:s).join(", ");return`${n&&`Chosen: ${n}. `}Up to ${H(t.tokens.at(-1))} tokens are compared.`}var Xn=[0,.1,.36],ad=512,id="Point at the map, or use the arrow keys.",ld=" Press Enter to follow that query through the layers below.";function $l({found:t,request:e,output:n,onChoose:s,saving:r}){let o=z(null),{header:a,levels:i}=U(()=>ud(t.response),[t.response]),l=()=>({mask:{shape:[a.rows,a.columns],data:i,axes:["query","key"]}}),c=a&&h`<${nt} name="mask" of=${o} caption=${`Who sees whom under ${e.mask}, ${H(a.tokens)} tokens: queries down, keys across.`} numbers=${l} ...${r} />`;return h`<${q} title="Who sees whom" actions=${c}>
    <${I} error=${t.error} waiting=${!a&&t.waiting} lines=${12} />
    ${a&&h`<${cd} header=${a} levels=${i} request=${e} output=${n} picture=${o}
      onChoose=${r.place==="file"?null:s} />`}
  <//>`}function cd({header:t,levels:e,request:n,output:s,onChoose:r,picture:o}){ct();let[a,i]=X(),[l,c]=j(null),u=U(()=>Float32Array.from(e,m=>Xn[m]),[e]),p=s!==null&&s<t.tokens?Math.floor(s/t.cell):null,d=(m,f)=>dd(t,e,m,f,n.grid);return h`<div class="patterns-map" ref=${a}>
    <div ref=${o} class="patterns-pictured">
      <p class="patterns-axis">queries <span aria-hidden="true">↓</span> keys <span aria-hidden="true">→</span></p>
      ${i>0&&h`<div class="patterns-framed">
        ${p!==null&&h`<span class="patterns-followed" style=${{top:`${100*(p+.5)/t.rows}%`}} aria-hidden="true"></span>`}
        <${Ct} data=${u} rows=${t.rows} columns=${t.columns} side=${pd(t,i)}
          label=${`Mask of ${n.mask}: queries down, keys across`} chosen=${p===null?null:[p,p]}
          onChoose=${r&&(m=>r(Math.min(m*t.cell+Math.floor(t.cell/2),t.tokens-1)))}
          onPoint=${(m,f)=>c(m===null?null:[m,f])} says=${d} /></div>`}
      <ul class="patterns-shades" aria-label="Colours">
        <li><${Cr} shade=${Xn[2]} />visible</li>
        ${t.cell>1&&h`<li><${Cr} shade=${Xn[1]} />${t.is_exact?"in part":"in part, or hidden"}</li>`}
        <li><${Cr} shade=${Xn[0]} />hidden</li>
        ${t.cell>1&&h`<li>a cell is ${t.cell} × ${t.cell} pairs</li>`}
      </ul>
    </div>
    <div class="patterns-facts">
      <dl>
        <${Nr} name="visible pairs" count="visible" value=${H(t.visible)} note=${`of ${H(t.pairs)}, ${Jn(t.visible,t.pairs)}`} />
        <${Nr} name=${h`<${ft} of="key">keys<//> that a <${ft} of="query">query<//> sees`} count="most" value=${gl(Math.min(...t.fewest),Math.max(...t.most))}
          note=${`${H(Math.round(t.visible/t.tokens*10)/10)} on average`} />
        <${Nr} name=${`blocks of ${t.block} × ${t.block} that a kernel visits`} count="visited" value=${H(t.visited)}
          note=${`of ${H(t.blocks)}; they hold ${H(t.visited_pairs)} pairs`} />
      </dl>
      <p class="patterns-point" aria-hidden="true">${l?d(...l):h`<span class="hint">${id}${r&&ld}</span>`}</p>
      ${t.batch&&h`<p class="hint">The first of ${t.batch} rows of a padded batch.</p>`}
    </div>
  </div>`}var Nr=({name:t,count:e,value:n,note:s})=>h`<div><dt>${t}</dt><dd><b data-count=${e}>${n}</b><small>${s}</small></dd></div>`;function ud(t){if(!t)return{header:null,levels:null};let{header:e,data:n,offset:s}=t;return{header:e,levels:new Uint8Array(n,s,e.rows*e.columns)}}function pd(t,e){let n=Math.min(ad,e);return n>=t.rows&&t.rows>40?t.rows*Math.floor(n/t.rows):n}var gl=(t,e)=>t===e?H(t):`${H(t)} to ${H(e)}`,hd=["hidden","visible in part","visible"];function dd(t,e,n,s,r){let o=c=>{let[u,p]=[c*t.cell,Math.min((c+1)*t.cell,t.tokens)-1];return r&&t.cell===1?`(${Math.floor(u/r[1])}, ${u%r[1]})`:u===p?H(u):`${H(u)}–${H(p)}`},[a,i]=t.cell===1?["query","sees"]:["queries","see"],l=t.cell===1||t.fewest[n]===1?"":" each";return`${a} ${o(n)}, ${t.cell===1?"key":"keys"} ${o(s)}: ${hd[e[n*t.columns+s]]}. The ${a} ${i} ${gl(t.fewest[n],t.most[n])} ${t.most[n]===1?"key":"keys"}${l}.`}function Cr({shade:t}){return h`<span class="patterns-swatch" style=${{background:Nt(t,"weight",1)}} aria-hidden="true"></span>`}var md=450,fd="A token reaches an output if its value can get there through the layers, whatever the weights.",Yn=t=>`${t} ${t===1?"layer":"layers"}`;function xl({found:t,state:e,change:n,clipped:s,saving:r}){let o=z(null),[a,i]=j(!1),{header:l,first:c}=U(()=>$d(t.response),[t.response]),u=l?.depths.length??e.layers,p=Math.min(e.depth??u,u);W(()=>{if(!a)return;if(p>=u)return i(!1);let x=setTimeout(()=>n({depth:p+1}),md);return()=>clearTimeout(x)},[a,p,u]);let d=()=>a?i(!1):(n({depth:p>=u?1:p}),i(!0)),m=()=>{let x=["fewest","mean","most","here","formula","convolution"],v=l.depths.flatMap(b=>x.map(y=>b[y]));return{reach:{shape:[u,x.length],data:v,rows:l.depths.map(b=>b.layers),columns:x}}},{place:f}=r,$=f==="file"?null:x=>n({output:x}),g=l&&h`<${nt} name="reach" of=${o} numbers=${m} ...${r} />`;return h`<${q} title="How far layers reach" actions=${g} note=${fd}>
    <div class="row patterns-choices">
      <${yt} place=${f} noted=${!1}><${ot} label="Layers" value=${e.layers} min=${1} max=${32} step=${1} says=${H}
        onChange=${x=>n({layers:x,depth:null})} /><//>
      <${ot} label="Show after" value=${p} min=${1} max=${u} step=${1} says=${Yn}
        onChange=${x=>(i(!1),n({depth:x}))} />
      ${!It()&&h`<button onClick=${d} title="Layer by layer">${a?"■ Stop":"▶ Play"}</button>`}
      <${yt} place=${f} noted=${!1}><${bt} label="residual connections" value=${e.residual}
        onChange=${x=>n({residual:x})} /><//>
    </div>
    <${te} place=${f} what="change the layers, or follow another token" />
    <${I} error=${t.error} waiting=${!l&&t.waiting} />
    ${l&&h`<div ref=${o} class="patterns-reach">
      <p class="patterns-headline" aria-live="polite"><${gd} header=${l} depth=${p} /></p>
      ${l.sides.length===2?h`<${xd} header=${l} first=${c} depth=${p} onChoose=${$} />`:h`<${yd} header=${l} first=${c} depth=${p} onChoose=${$} />`}
      <${bd} header=${l} depth=${p} />
    </div>
    ${s&&h`<p class="hint">Computed for ${l.sides.map(H).join(" × ")} tokens; with more tokens it grows in the same way.</p>`}`}
  <//>`}function $d(t){if(!t)return{header:null,first:null};let{header:e,data:n,offset:s}=t,r=new Uint8Array(n,s,e.depths.length*e.tokens);return{header:e,first:{reached:r,count:e.tokens}}}var Ar=(t,e)=>e===1?.36:(.72-.5*((t-1)/(e-1)))**2;function gd({header:t,depth:e}){let n=t.depths[e-1],s=t.sides.length===2?`pixel (${Math.floor(t.output/t.sides[1])}, ${t.output%t.sides[1]})`:`token ${H(t.output)}`,o=`${n.here===t.tokens?"all":`${H(n.here)} of`} ${H(t.tokens)} ${t.sides.length===2?"pixels":"tokens"}`,a=n.here===t.tokens?"":` (${Jn(n.here,t.tokens)})`,i=t.settled!==null&&t.settled<=e&&n.here<t.tokens;return h`After ${Yn(e)} <b data-reached=${n.here}>${o}</b> reach ${s}${a}.${i&&" More layers of this mask reach nothing further."}`}function xd({header:t,first:e,depth:n,onChoose:s}){let[r,o]=t.sides,[a,i]=X(),l=U(()=>{let u=new Float32Array(t.tokens);for(let p=n;p>=1;p--)for(let d=0;d<t.tokens;d++)e.reached[(p-1)*t.tokens+d]&&(u[d]=Ar(p,t.depths.length));return u},[e,n]),c=(u,p)=>{let d=t.depths.findIndex((m,f)=>e.reached[f*t.tokens+u*o+p]);return`pixel (${u}, ${p}): ${d<0?"never reaches the output":`reaches it from layer ${d+1} on`}`};return h`<div class="patterns-field" ref=${a}>
    ${i>0&&h`<${Ct} data=${l} rows=${r} columns=${o} side=${Math.min(360,i)}
      label=${`Pixels that reach the output after ${Yn(n)}${s?"; Enter follows another":""}`}
      chosen=${[Math.floor(t.output/o),t.output%o]} onChoose=${s&&((u,p)=>s(u*o+p))} says=${c} />`}
    <${vd} header=${t} />
    ${s&&h`<p class="hint">Choose another pixel to follow.</p>`}
  </div>`}function yd({header:t,first:e,depth:n,onChoose:s}){let r=ct(),o=z(null),[a,i]=X(),l=t.depths.length;lt(()=>{if(!i)return;let p=new Float32Array((l+1)*t.tokens);p[t.output]=1;for(let m=1;m<=n;m++){let f=Ar(m,l);for(let $=0;$<t.tokens;$++)e.reached[(m-1)*t.tokens+$]&&(p[m*t.tokens+$]=f)}let d=Math.max(64,Math.min(t.tokens,Math.floor(i)));Fn(o.current,p,l+1,t.tokens,"weight",1,d)},[t,e,n,i,r]);let c=p=>{let d=p.currentTarget.getBoundingClientRect();s(Math.max(0,Math.min(t.tokens-1,Math.floor((p.clientX-d.left)/d.width*t.tokens))))},u=Math.min(44,Math.max(8,300/(l+1)))*(l+1);return h`<div class="patterns-cone">
    <div class="patterns-rows" style=${{height:`${u}px`}} aria-hidden="true"><span>output</span><span>${Yn(l)}</span></div>
    <div ref=${a}><canvas ref=${o} role="img" style=${{height:`${u}px`}} onClick=${s&&c}
      aria-label=${`Tokens that reach output ${t.output}, a row for each layer: ${t.depths.slice(0,n).map(p=>p.here).join(", ")}`}></canvas>
      <p class="patterns-ends"><span>token 0</span><span>token ${H(t.tokens-1)}</span></p></div>
    <div class="patterns-output">
      <${ot} label="Follow token" value=${t.output} min=${0} max=${t.tokens-1} step=${1} disabled=${!s}
        onChange=${s} says=${H} />
    </div>
  </div>`}function vd({header:t}){ct();let e=t.depths.length,n=s=>Nt(Ar(s,e),"weight",1);return h`<div class="legend"><span>layer 1</span>
    <span class="patterns-scale" aria-hidden="true">${t.depths.map(s=>h`<i style=${{background:n(s.layers)}}></i>`)}</span>
    <span>layer ${e}</span></div>`}function bd({header:t,depth:e}){let n=t.depths.map(i=>i.layers),s=i=>t.depths.map(l=>l[i]??NaN),r=[{name:"reach this output",x:n,y:s("here")}];t.formula!==null&&r.push({name:"by the formula",x:n,y:s("formula")}),r.push({name:"mean of all outputs",x:n,y:s("mean"),class:"curve-4"});let o=t.depths.every(i=>i.convolution===i.here),a=`${t.taps.join(" × ")} taps`;return o||r.push({name:`convolutions, ${a}`,x:n,y:s("convolution"),class:"curve-5"}),h`<div class="patterns-growing">
    <${zt} series=${r} label="Tokens that reach the output, against the number of layers" xLabel="layers" yLabel="tokens"
      height=${250} yMin=${0} marks=${n.length>1?[{x:e,name:""}]:[]} says=${R} />
    <p class="note">${t.formula!==null?h`Formula: <code data-formula>${t.formula}</code> tokens (${t.legend}).`:"No closed form is known here; the counts come from the composed masks."}${o&&` Convolutions with ${a} reach as many.`}</p>
  </div>`}var Tr=["content","content + slopes","content + gaussian","content + table","gaussian","diagonal_gaussian","full_gaussian","table"],Er=[["softmax","softmax"],["hard","hard, one-hot"],["elu","linear, elu"],["relu","linear, relu"],["squared_relu","linear, squared relu"],["exp","linear, exp"],["random_features(64)","linear, 64 random features"]],bl={cpu:"a CPU",h200:"NVIDIA H200",a100:"NVIDIA A100",h100:"NVIDIA H100",b200:"NVIDIA B200",l40s:"NVIDIA L40S",t4:"NVIDIA T4",cuda:"any CUDA GPU",other:"another device"},wl=[["","default type"],["bfloat16","bfloat16"],["float16","float16"],["float32","float32"],["float64","float64"]],wd=Sr(16,131072),yl=Sr(4,128),vl=[1,2,4,8,16,32,64],Or=4096,be={mask:"causal & window(256)",second:"",scores:"content",weighting:"softmax",tokens:4096,grid:null,batch:1,heads:16,width:64,device:"h200",dtype:"",backward:!1,block:128,shown:0,quantity:"flops",compare:"full",layers:12,depth:null,residual:!0,output:null};function _d(t){let e=s=>t[s].slice(0,300),n=(s,r,o)=>fe(t[s],r,o,be[s]);return{...t,mask:e("mask"),second:e("second"),scores:e("scores"),weighting:e("weighting"),tokens:n("tokens",1,131072),grid:Rn(t.grid,1,256),batch:n("batch",1,4096),heads:n("heads",1,256),width:n("width",1,1024),block:n("block",1,4096),layers:n("layers",1,64),depth:n("depth",1,64),output:n("output",0,131071),shown:n("shown",0,1),device:Be(t.device,Object.keys(bl),be.device),dtype:Be(t.dtype,wl.map(([s])=>s),be.dtype),quantity:Be(t.quantity,Object.keys(gt),be.quantity),compare:Be(t.compare,["full","algorithms"],be.compare)}}function kd({ask:t,state:e,change:n,place:s}){let r=_d(e),o=J(t,"presets",{}),a=Md(r),i=$t(t,"mechanism",a.mechanism),l=$t(t,"mechanism",a.second),c={...i.response?.wrong,...a.second&&l.response?.wrong.mask?{second:l.response.wrong.mask}:{}},u=i.of===JSON.stringify(a.mechanism)&&(!a.second||l.of===JSON.stringify(a.second)),p=z(null);u&&Object.keys(c).length===0&&(p.current=Sd(r,a));let d=p.current,m=$t(t,"pattern",d?.pattern),f=$t(t,"plan",d?.plan),$=$t(t,"reach",d?.reach),g=J(t,"growth",d?.growth),v={saves:()=>[["presets",{}],["mechanism",a.mechanism],...a.second?[["mechanism",a.second]]:[],...Object.entries(d)],ask:t,view:"patterns",state:r,place:s},b=$.response?.header.output??null;return h`<div class="sided patterns">
    <${yt} class="patterns-left" place=${s}>
      <${Cd} known=${o} state=${r} change=${n} wrong=${c} place=${s} />
      <${Td} devices=${o.response?.devices??[r.device]} state=${r} change=${n} />
    <//>
    <div class="patterns-right" aria-busy=${String(!u)}>
      ${a.second&&h`<${yt} class="patterns-turns" place=${s} noted=${!1}><${tt} label="Mask, plan and cost of" value=${r.shown}
        options=${[[0,"the first layer"],[1,"every other layer"]]} onChange=${y=>n({shown:y})} /><//>`}
      ${d===null&&Object.keys(c).length>0&&h`<p class="note">Nothing to draw yet: the text on the left is not a mechanism.</p>`}
      <${$l} found=${m} request=${d?.pattern} output=${b} onChoose=${y=>n({output:y})} saving=${v} />
      <${dl} found=${f} saving=${v} />
      <${fl} found=${g} request=${a.mechanism} quantity=${r.quantity} compare=${r.compare}
        change=${n} saving=${v} place=${s} />
      <${xl} found=${$} state=${r} change=${n} clipped=${d!==null&&Nd(r)} saving=${v} />
    </div>
  </div>`}function Md({mask:t,second:e,shown:n,scores:s,weighting:r,tokens:o,grid:a,batch:i,heads:l,width:c,device:u,dtype:p,backward:d}){let m={scores:s,weighting:r,tokens:o,grid:a,batch:i,heads:l,width:c,device:u,dtype:p||null,backward:d},f=e.trim()!=="";return{mechanism:{mask:f&&n?e:t,...m},second:f?{mask:n?t:e,...m}:null,masks:f?[t,e]:[t]}}function Sd(t,{mechanism:e,masks:n}){let{tokens:s,...r}=e,o=_l(t),a=o.grid?o.grid[0]*o.grid[1]:o.tokens,i=t.output!==null&&t.output<a?t.output:null;return{pattern:{mask:e.mask,tokens:s,grid:t.grid,block:t.block},plan:e,growth:{...r,grid:t.grid&&[1,1]},reach:{masks:n.slice(0,t.layers),...o,layers:t.layers,residual:t.residual,output:i}}}var _l=({tokens:t,grid:e})=>e&&e[0]*e[1]>Or?{tokens:t,grid:e.map(n=>Math.min(n,Math.sqrt(Or)))}:{tokens:e?t:Math.min(t,Or),grid:e},Nd=t=>JSON.stringify(_l(t))!==JSON.stringify({tokens:t.tokens,grid:t.grid});function Cd({known:t,state:e,change:n,wrong:s,place:r}){let o=V(),a=t.response?.presets??[],i=d=>["mask","second","scores","weighting"].every(m=>d[m]===e[m])&&!!d.grid==!!e.grid,l=a.find(i),c=({mask:d,second:m,scores:f,weighting:$,tokens:g,grid:x,layers:v})=>n({mask:d,second:m,scores:f,weighting:$,tokens:g,grid:x,layers:v,depth:null,output:null,shown:0}),u=U(()=>(Tr.includes(e.scores)?Tr:[...Tr,e.scores]).map(d=>[d,d]),[e.scores]),p=Er.some(([d])=>d===e.weighting)?Er:[...Er,[e.weighting,e.weighting]];return h`<${q} title="Mechanism">
    <${I} error=${t.error} waiting=${!t.response&&t.waiting} />
    <fieldset class="patterns-presets"><legend class="unseen">Start from</legend>
      ${a.map(d=>h`<label><input type="radio" name=${o} value=${d.name} checked=${d===l} onChange=${()=>c(d)} />
        <span>${d.title}</span></label>`)}
    </fieldset>
    <p class="note patterns-says">${l?l.says:"Your own."}<${Mr} claim=${l?.claim} place=${r} /></p>
    <div class="stack">
      <div class="patterns-written">
        <div><${ht} label="Mask: who may see whom" live value=${e.mask} max=${300} onChange=${d=>n({mask:d})} />
          <${Qn} text=${s.mask} /></div>
        <div><${ht} label="Mask of every other layer, if it differs" live value=${e.second} max=${300}
          onChange=${d=>n({second:d,shown:d.trim()?e.shown:0})} /><${Qn} text=${s.second} /></div>
        <${Ad} words=${t.response?.words??[]} />
      </div>
      <div><${et} label="Scores" value=${e.scores} options=${u} onChange=${d=>n({scores:d})} />
        <${Qn} text=${s.scores} /></div>
      <div><${et} label="Weights" value=${e.weighting} options=${p} onChange=${d=>n({weighting:d})} />
        <${Qn} text=${s.weighting} /></div>
    </div>
  <//>`}var Qn=({text:t})=>h`<div role="status" aria-live="polite">${t&&h`<p class="error patterns-wrong">${t}</p>`}</div>`;function Ad({words:t}){return h`<details class="patterns-words"><summary>How to write a mask</summary>
    <p>Names, joined by <code>&</code> (both), <code>|</code> (either), <code>~</code> (not) and parentheses:</p>
    <ul>${t.map(e=>h`<li><code>${e}</code></li>`)}</ul>
    <p>Example: <code>causal & (window(16) | strided(64))</code>. Neighbours, tiles, rows, columns and axial need a grid.</p>
  </details>`}function Td({devices:t,state:e,change:n}){let{grid:s}=e,r=o=>a=>n({grid:s.map((i,l)=>l===o?a:i),output:null});return h`<${q} title="Sizes and machine">
    <div class="stack patterns-sizes">
      <${bt} label="tokens on a grid" value=${s!==null} onChange=${o=>n({grid:o?[64,64]:null,output:null})} />
      ${s?h`<${Ht} label="Rows" value=${s[0]} values=${yl} onChange=${r(0)} />
          <${Ht} label="Columns" value=${s[1]} values=${yl} onChange=${r(1)} />`:h`<${Ht} label="Tokens N" value=${e.tokens} values=${wd} onChange=${o=>n({tokens:o,output:null})} />`}
      <${Ht} label="Heads" value=${e.heads} values=${vl} onChange=${o=>n({heads:o})} />
      <${Ht} label="Head width" value=${e.width} values=${[8,16,32,48,64,80,96,128,192,256]} onChange=${o=>n({width:o})} />
      <${Ht} label="Batch" value=${e.batch} values=${vl} onChange=${o=>n({batch:o})} />
      <${Ht} label="Kernel block" value=${e.block} values=${[16,32,64,128,256]} onChange=${o=>n({block:o})} />
      <${et} label="Machine" value=${e.device} options=${t.map(o=>[o,bl[o]??o])}
        onChange=${o=>n({device:o})} />
      <${et} label="Numbers" value=${e.dtype} options=${wl} onChange=${o=>n({dtype:o})} />
      <${bt} label="include the backward pass" value=${e.backward} onChange=${o=>n({backward:o})} />
    </div>
  <//>`}var kl={name:"patterns",title:"Patterns and cost",about:"Choose who may see whom. See the mask, the fastest exact algorithm, its cost as sequences grow, and how far stacked layers reach.",state:be,View:kd};var Nl={problem:null,beta:null,hard:!1,mask:"everything",head:0,query:0,noise:null,plane:"tokens",axes:"0,1"},Ml=[["everything","everything"],["causal","causal"],["window(1, 1)","neighbours"],["~window(0, 0)","not oneself"]],Cl={tokens:12,heads:4},we=100,Al=t=>t===0?0:Number((10**(-2+4*(t-1)/98)).toPrecision(4)),Ed=t=>t<=0?0:Math.max(1,Math.min(we-1,Math.round(1+98*(Math.log10(t)+2)/4))),ut=(t,e)=>Array.from({length:e},(n,s)=>`${t}${Zn(s+1)}`),Zn=t=>String(t).replace(/\d/g,e=>"₀₁₂₃₄₅₆₇₈₉"[e]);function Lr(t,e){let n=(r,o)=>Math.max(0,Math.min(r,o-1)),s=e.noise?.noise?.length===t.heads[0].q[0].length&&e.noise.index<t.x.length;return{x:t.x,heads:t.heads,out:t.out,beta:e.beta===null?null:Math.max(0,e.beta),hard:e.hard,mask:e.mask,head:n(e.head,t.heads.length),query:n(e.query,t.x.length),noise:s&&!e.hard?e.noise:null}}var Od=t=>Array.isArray(t?.x?.[0])&&Array.isArray(t?.heads?.[0]?.q?.[0])&&Array.isArray(t.heads[0].v?.[0]);function Pd({ask:t,state:e,change:n,place:s}){let r=z(null),o=J(t,"example",{}),a=Od(e.problem)?e.problem:o.response,i=a&&Lr(a,e),l=$t(t,"playground",i),c=l.response;if(!a)return h`<${I} error=${o.error} waiting=${!0} />`;if(!c)return h`<div class="sided playground"><${q} title="Attention">
      <${Sl} state=${e} change=${n} beta=${e.beta} problem=${a} edit=${()=>{}} />
      <${I} error=${l.error} waiting=${!0} />
    <//></div>`;let u=JSON.parse(l.of),p=s==="file",d=$=>n({problem:{x:a.x,heads:a.heads,out:a.out,...$}});return h`<div class="sided playground" ref=${r}>
    <div>
      <${q} title="Attention" actions=${h`<${nt} name="playground" of=${r} numbers=${()=>Fd(c,u)} saves=${()=>[["example",{}],...Array.from({length:we+1},($,g)=>["playground",Lr(a,{...e,...Tl(g)})]),["playground",i]]} ask=${t} view="playground" state=${e} place=${s} />`}>
        <${Sl} state=${e} change=${n} beta=${c.beta} problem=${a} edit=${d} isSaved=${p} />
        <${I} error=${l.error} />
      <//>
      <${Ld} state=${e} change=${n} found=${c} shown=${u} problem=${a} edit=${d} isSaved=${p} />
    </div>
    <div class="columns">
      <${Rd} found=${c} shown=${u} change=${p?null:n} />
      ${c.moved?h`<${jd} found=${c} shown=${u} change=${n} />`:e.plane==="keys"&&h`<${qd} isHard=${u.hard} />`}
      <${zd} problem=${a} head=${i.head} edit=${d} isSaved=${p} />
      <${Dd} found=${c} shown=${u} />
      ${c.merged&&h`<${q} title="Output" note=${`${u.heads.length>1?"All heads side by side":"The head"}, times W_O: a row for each token.`}>
        <${At} label="output" values=${c.merged} rowNames=${ut("y",c.merged.length)} digits=${5} />
      <//>`}
    </div>
  </div>`}var Tl=t=>t===we?{hard:!0}:{hard:!1,beta:Al(t)};function Sl({state:t,change:e,beta:n,problem:s,edit:r,isSaved:o}){let a=s.heads[0].q[0].length,i=Math.max(0,n??1/Math.sqrt(a)),l=t.hard?we:Ed(i),c=s.heads.length,u=!Ml.some(([$])=>$===t.mask),[p,d]=j(u),m=()=>{let[$,g]=[s.heads[0].q.length,s.heads[0].q[0].length],x=(y,_)=>Array.from({length:y},(w,N)=>Array.from({length:_},(M,T)=>N%_===T?1:0)),v=s.heads[0].v[0].length,b=s.out&&[...s.out,...x(v,s.out[0].length)];r({heads:[...s.heads,{q:x($,g),k:x($,g),v:x($,v)}],out:b}),e({head:c})},f=()=>{let $=s.heads[0].v[0].length,g=Math.min(t.head,c-1);r({heads:s.heads.filter((x,v)=>v!==g),out:s.out?.filter((x,v)=>Math.floor(v/$)!==g)??null}),e({head:Math.max(0,g-1)})};return h`<div class="stack">
    <div>
      <${ot} label="β" min="0" max=${we} step="1" value=${l} onChange=${$=>e(Tl($))}
        says=${$=>$===we?"hard":$===l?R(i,4):R(Al($))} />
      <p class="note">β multiplies the logits: 0 spreads the weights evenly, a large value keeps only the largest.
        <${vt} class="quiet" onClick=${()=>e({beta:null,hard:!1})} off=${t.beta===null&&!t.hard}>back to 1/√${a}<//></p>
      ${o&&h`<p class="note">Saved from regard: the slider works; run regard explore to change anything else.</p>`}
    </div>
    <fieldset class="group" disabled=${o}>
    <${tt} label="Mask" value=${p?"custom":t.mask} options=${[...Ml,["custom","write one"]]}
      onChange=${$=>(d($==="custom"),$!=="custom"&&e({mask:$}))} />
    ${p&&h`<${ht} label="such as causal & window(2)" value=${t.mask} max="200" onChange=${$=>e({mask:$})} />`}
    <div class="row">
      <${tt} label="Head" value=${Math.min(t.head,c-1)} options=${s.heads.map(($,g)=>[g,g+1])} onChange=${$=>e({head:$,noise:null})} />
      <span><${vt} onClick=${m} off=${c>=Cl.heads} aria-label="add a head">+<//>${" "}<${vt} onClick=${f} off=${c===1} aria-label="remove this head">−<//></span>
    </div>
    <div class="row"><button onClick=${()=>(d(!1),e({...Nl}))}>Reset to the worked example</button></div>
    </fieldset>
  </div>`}function Ld({state:t,change:e,found:n,shown:s,problem:r,edit:o,isSaved:a}){let i=s.head,l=t.plane==="tokens"?r.x[0].length:n.q[i][0].length,c=[];for(let $=0;$<l;$++)for(let g=$+1;g<l;g++)c.push([`${$},${g}`,`${$+1} and ${g+1}`]);let[u,p]=(c.find(([$])=>$===t.axes)?.[0]??c[0]?.[0]??"0,0").split(",").map(Number),d=$=>({x:$[u]??0,y:$[p]??0}),m,f;if(t.plane==="tokens")m=r.x.map(($,g)=>({id:`x${g}`,...d($),name:`x${Zn(g+1)}`,kind:"token"})),f=($,g,x)=>o({x:r.x.map((v,b)=>`x${b}`===$?v.map((y,_)=>_===u?g:_===p?x:y):v)});else{let{noise:$}=Lr(r,t),g=(v,b,y)=>$?.on===v&&$.index===b?y.map((_,w)=>_+$.noise[w]):y,x=(v,b)=>b.map((y,_)=>{let w=g(v,_,y);return{id:`${v} ${_}`,...d(w),name:`${v[0]}${Zn(_+1)}`,kind:v,from:w===y?null:[y[u],y[p]]}});m=[...x("query",n.q[i]),...x("key",n.k[i])],f=(v,b,y)=>{let[_,w]=v.split(" "),M=n[_==="key"?"k":"q"][i][w].map((T,k)=>Number(((k===u?b:k===p?y:T)-T).toFixed(6)));e({noise:{on:_,index:Number(w),noise:M},hard:!1})}}return h`<${q} title="In the plane">
    <${tt} label="Move" value=${t.plane} options=${[["tokens","tokens"],["keys","queries and keys"]]} onChange=${$=>e({plane:$})} />
    <p class="note">${t.plane==="tokens"?"Drag a token: its query, key and value follow.":"Drag a key (square) or a query (circle): this adds noise to it alone, and what changes is marked."}</p>
    ${c.length>1&&h`<${et} label="Coordinates" value=${`${u},${p}`} options=${c} onChange=${$=>e({axes:$})} />`}
    <${Id} label=${t.plane==="tokens"?"the tokens":"queries and keys"} points=${m} onMove=${a?()=>{}:f}
      xLabel=${`coordinate ${u+1}`} yLabel=${`coordinate ${p+1}`} height=${260} />
    ${s.noise&&h`<button onClick=${()=>e({noise:null})}>Remove the noise</button>`}
  <//>`}function zd({problem:t,head:e,edit:n,isSaved:s}){let{x:r,heads:o,out:a}=t,i=o[e],l=u=>p=>n({heads:o.map((d,m)=>m===e?{...d,[u]:p}:d)}),c=()=>n({x:[...r,r[0].map(()=>0)]});return h`<${q} class="wide" title="Numbers you can change" note="Type, use the up and down keys, or drag a number sideways.">
    <fieldset class="row playground-inputs group" disabled=${s}>
      <div><h3>X, the tokens</h3><${Pr} label="X" values=${r} rowNames=${ut("x",r.length)} onChange=${u=>n({x:u})}
        onRemoveRow=${r.length>1?u=>n({x:r.filter((p,d)=>d!==u)}):null} />
        <${vt} onClick=${c} off=${r.length>=Cl.tokens}>Add a token<//></div>
      ${[["q","W_Q"],["k","W_K"],["v","W_V"]].map(([u,p])=>h`<div><h3>${p}${o.length>1?` of head ${e+1}`:""}</h3><${Pr} label=${p} values=${i[u]} onChange=${l(u)} /></div>`)}
      ${a&&h`<div><h3>W_O</h3><${Pr} label="W_O" values=${a} onChange=${u=>n({out:u})} /></div>`}
    </fieldset>
  <//>`}function Rd({found:t,shown:e,change:n}){let s=e.head,r=e.x.length,[o,a]=[ut("q",r),ut("k",r)];return h`<${q} class="wide" title=${e.heads.length>1?`Head ${s+1}`:"The head"} note="A row for each query, a column for each key. Choose a query to see its Jacobian.">
    <div class="row playground-results">
      <div><h3>Logits β·q·k</h3><${At} label="logits" values=${t.logits[s]} scale="signed" rowNames=${o} columnNames=${a} /></div>
      <div><h3>Weights</h3><${At} label="weights" values=${t.weights[s]} scale="weight" limit=${1} rowNames=${o} columnNames=${a} digits=${4}
        chosen=${e.query} onRow=${n&&(i=>n({query:i}))} /></div>
      <div><h3>Outputs Σ a·v</h3><${At} label="outputs" values=${t.outputs[s]} rowNames=${ut("o",r)} digits=${4} /></div>
    </div>
  <//>`}function Dd({found:t,shown:e}){let n=Math.sqrt(t.jacobian.flat().reduce((r,o)=>r+o*o,0)),s=e.x.length;return h`<${q} title=${`How the weights of q${Zn(e.query+1)} respond to its logits`}
    note=${e.hard?"Hard weights do not change until another logit becomes the largest.":"∂aᵢ/∂zⱼ = aᵢ(δᵢⱼ − aⱼ): a weight near 0 or 1 hardly moves."}>
    <${At} label="Jacobian" values=${t.jacobian} scale="signed" limit=${.25} rowNames=${ut("a",s)} columnNames=${ut("z",s)} />
    <p class="note">Frobenius norm <b data-norm>${R(n,4)}</b>, at most 1 − Σa².</p>
  <//>`}function jd({found:t,shown:e,change:n}){let{moved:s}=t,r=e.x.length,o=s.moved.flat(),a=o.filter(Boolean).length,i=s.moved.filter(d=>d.some(Boolean)).length,{on:l,index:c,noise:u}=e.noise,p=Math.max(...s.predicted.flatMap((d,m)=>d.map((f,$)=>Math.abs(f-s.weights[m][$]))));return h`<${q} class="wide" title=${`Noise on ${l} ${c+1}`}
    note=${l==="key"?"One logit of every query changes, and through the normaliser all of its weights.":"The weights of one query change, and no others."}
    actions=${h`<button onClick=${()=>n({noise:null})}>Remove it</button>`}>
    <p data-moved>ε = (${u.map(d=>R(d)).join(", ")}): <b>${a} of ${o.length}</b> weights moved, of <b>${i} of ${r}</b> queries; <b>${s.outputs_moved.filter(Boolean).length} of ${r}</b> outputs. Σ(a′ − a)² = ${R(s.energy)}.</p>
    <div class="row playground-results">
      <div><h3>Weights after it</h3><${At} label="weights after the noise" values=${s.weights} scale="weight" limit=${1} moved=${s.moved} rowNames=${ut("q",r)} columnNames=${ut("k",r)} digits=${4} /></div>
      <div><h3>Their change</h3><${At} label="change of the weights" values=${s.change} scale="signed" moved=${s.moved} rowNames=${ut("q",r)} columnNames=${ut("k",r)} /></div>
      <div><h3>Outputs after it</h3><${At} label="outputs after the noise" values=${s.outputs} moved=${s.outputs.map((d,m)=>d.map(()=>s.outputs_moved[m]))} rowNames=${ut("o",r)} digits=${4} /></div>
      <div><h3>Added to the logits</h3><${At} label="added to the logits" values=${s.shift} scale="signed" rowNames=${ut("q",r)} columnNames=${ut("k",r)} /></div>
      <div><h3>To first order</h3><${At} label="change to first order" values=${s.first_order} scale="signed" rowNames=${ut("q",r)} columnNames=${ut("k",r)} /></div>
    </div>
    <p class="note">The closed form a′ ∝ a·eᵗ predicts the weights after it from those before, within ${R(p)}.</p>
  <//>`}function qd({isHard:t}){return h`<${q} class="wide playground-silence" title="Noise"
    note=${t?"Small noise does not change hard weights: lower β to see what changes.":"Drag a key or a query in the plane, or move it with the arrow keys: this panel shows what changes."} />`}function Fd(t,e){let n=o=>Array.isArray(o)?o.flatMap(n):[o],s=o=>Array.isArray(o)?[o.length,...s(o[0])]:[],r={x:e.x,q:t.q,k:t.k,v:t.v,logits:t.logits,weights:t.weights,outputs:t.outputs,jacobian:t.jacobian};return t.merged&&(r.merged=t.merged),t.moved&&Object.assign(r,{weights_after_noise:t.moved.weights,change:t.moved.change,outputs_after_noise:t.moved.outputs,added_to_logits:t.moved.shift}),Object.fromEntries(Object.entries(r).map(([o,a])=>[o,{shape:s(a),data:n(a)}]))}function At({label:t,values:e,scale:n,limit:s,rowNames:r,columnNames:o,moved:a,chosen:i,onRow:l,digits:c=3}){ct();let u=s??Math.max(1e-12,...e.flat().map(p=>Math.abs(p??0)));return h`<div class="scrolls"><table class="matrix">
    <caption class="unseen">${t}</caption>
    ${o&&h`<thead><tr>${r&&h`<td></td>`}${o.map(p=>h`<th scope="col">${p}</th>`)}</tr></thead>`}
    <tbody>${e.map((p,d)=>h`<tr class=${i===d?"chosen":""}>
        ${r&&h`<th scope="row">${l?h`<button class="quiet" aria-pressed=${i===d} onClick=${()=>l(d)}>${r[d]}</button>`:r[d]}</th>`}
        ${p.map((m,f)=>h`<td><span class=${`value${a?a[d][f]?" moved":" still":""}`} title=${m===null?"hidden":String(m)}
            style=${n&&m!==null?{background:Nt(m,n,u),color:On(m,n,u)}:null}>${m===null?"−∞":R(m,c)}</span></td>`)}
      </tr>`)}</tbody>
  </table></div>`}function Pr({label:t,values:e,rowNames:n,columnNames:s,onChange:r,onRemoveRow:o,step:a=.1}){let i=(c,u,p)=>r(e.map((d,m)=>m===c?d.map((f,$)=>$===u?p:f):d)),l=(c,u)=>{let p=c.currentTarget.closest("table");o(u),requestAnimationFrame(()=>(p.querySelectorAll("button")[Math.min(u,e.length-2)]??p.querySelector("input"))?.focus())};return h`<div class="scrolls"><table class="matrix">
    <caption class="unseen">${t}</caption>
    ${s&&h`<thead><tr>${n&&h`<td></td>`}${s.map(c=>h`<th scope="col">${c}</th>`)}</tr></thead>`}
    <tbody>${e.map((c,u)=>h`<tr>
        ${n&&h`<th scope="row">${n[u]}</th>`}
        ${c.map((p,d)=>h`<td><${$e} label=${`${t}, row ${u+1}, column ${d+1}`} value=${p} step=${a} onChange=${m=>i(u,d,m)} /></td>`)}
        ${o&&h`<td><button class="quiet" aria-label=${`remove ${n?.[u]??`row ${u+1}`}`} title="remove" onClick=${p=>l(p,u)}>×</button></td>`}
      </tr>`)}</tbody>
  </table></div>`}function Id({label:t,points:e,onMove:n,onChoose:s,chosen:r,xLabel:o,yLabel:a,step:i=.1,height:l=330}){let[c,u]=X(),[p,d]=j(null),m=z(null),f=1.18*Math.max(1,...e.flatMap(({x:M,y:T,from:k})=>[M,T,...k??[]].map(Math.abs))),$=p?.bound??f,g=Math.max(60,Math.min(u,560)/2),x=(Math.min(2*g,l)/2-8)/$,v=(M,T)=>qe().domain([-M/x,M/x]).range([(1-T)*M,(1+T)*M]),[b,y]=[v(g,1),v(l/2,-1)],_=M=>Number((Math.round(M/(i/2))*(i/2)).toFixed(4)),w=M=>{if(!p)return;let T=m.current.getBoundingClientRect();n(p.id,_(b.invert(M.clientX-T.left)),_(y.invert(M.clientY-T.top)))},N=(M,T)=>{let k={ArrowLeft:[-i,0],ArrowRight:[i,0],ArrowUp:[0,i],ArrowDown:[0,-i]}[M.key];if(k){M.preventDefault();let P=M.shiftKey?10:1;n(T.id,Number((T.x+P*k[0]).toFixed(4)),Number((T.y+P*k[1]).toFixed(4)))}else(M.key==="Enter"||M.key===" ")&&(M.preventDefault(),s?.(T.id))};return h`<div class="plane" ref=${c}>
    <svg ref=${m} width=${2*g} height=${l} role="group" aria-label=${t} onPointerMove=${w}
      onPointerUp=${()=>d(null)} onPointerCancel=${()=>d(null)}>
      <g class="axes"><line x1="8" x2=${2*g-8} y1=${y(0)} y2=${y(0)} /><line x1=${b(0)} x2=${b(0)} y1="8" y2=${l-8} />
        ${b.ticks(6).filter(Boolean).map(M=>h`<text x=${b(M)} y=${y(0)+15} text-anchor="middle">${R(M)}</text>`)}
        ${y.ticks(5).filter(Boolean).map(M=>h`<text x=${b(0)-6} y=${y(M)} dy="0.35em" text-anchor="end">${R(M)}</text>`)}
        <text x=${2*g-8} y=${y(0)-7} text-anchor="end">${o}</text><text x=${b(0)+7} y="18">${a}</text></g>
      ${e.map(M=>M.from&&h`<g class="came"><circle cx=${b(M.from[0])} cy=${y(M.from[1])} r="5" /><line x1=${b(M.from[0])} y1=${y(M.from[1])} x2=${b(M.x)} y2=${y(M.y)} /></g>`)}
      ${e.map(M=>h`<g class=${`point ${M.kind}${r===M.id?" chosen":""}`} tabindex="0" role="button"
        aria-label=${`${M.name} at ${R(M.x)}, ${R(M.y)}; arrow keys move it`} data-point=${M.id}
        transform=${`translate(${b(M.x)},${y(M.y)})`} onKeyDown=${T=>N(T,M)}
        onPointerDown=${T=>{T.preventDefault(),T.currentTarget.focus(),m.current.setPointerCapture(T.pointerId),d({id:M.id,bound:$}),s?.(M.id)}}>
        ${M.kind==="key"?h`<rect x="-7" y="-7" width="14" height="14" rx="3" />`:h`<circle r="8" />`}
        <text x="12" y="-8">${M.name}</text>
      </g>`)}
    </svg>
  </div>`}var El={name:"playground",title:"Playground",about:"Four tokens, two heads, every number: change anything and see what attention makes of it.",state:Nl,View:Pd};var Ol=["loss","rate","gradient"],zr=36,Wd=800;function ts(t,e,n){let s=n.toLowerCase().split(/\s+/).filter(Boolean);return e.flatMap(r=>[...t.get(r)??[]].map(([o,a])=>({run:r,name:e.length>1?`${r} · ${o}`:o,...a}))).filter(r=>s.every(o=>r.name.toLowerCase().includes(o)))}function Rl({curves:t,names:e,state:n,change:s}){let r=Kd(ts(t,e,""),Ud(e)),o=new Set(ts(t,e,n.only).map(m=>m.name)),a=r.filter(m=>o.has(m.name)),i=a.slice(0,zr),l=[...new Set(r.flatMap(m=>Object.keys(m.columns)))],c=Ol.filter(m=>l.includes(m)),u=l.filter(m=>m!=="step"&&!Ol.includes(m)),p=c.includes(n.metric)?n.metric:c[0],d=u.includes(n.evaluated)?n.evaluated:u[0];return c.length?h`<div>
    <div class="row runs-controls" data-unpictured>
      <${bt} label="Logarithmic" value=${n.log} onChange=${m=>s({log:m})} />
      <${ot} label="Smoothing" value=${n.smoothing} min=${0} max=${.98} step=${.02} onChange=${m=>s({smoothing:m})}
        says=${m=>m?R(m,2):"none"} />
      ${r.length>3&&h`<${ht} label=${`Only curves with these words, of ${r.length}`} value=${n.only} live max=${100}
        placeholder=${Hd(r)} onChange=${m=>s({only:m})} />`}
    </div>
    ${a.length>zr&&h`<p class="hint">The first ${zr} of ${a.length} curves are drawn; filter them above.</p>`}
    ${!a.length&&h`<p class="hint">No training has all of these words.</p>`}
    <div>
      <${Bd} shown=${i} />
      <div class="runs-charts">
        <section>
          <div class="runs-chart-head"><h3>During training</h3><div data-unpictured>
            <${tt} label=${h`<span class="unseen">Number at each step</span>`} value=${p} options=${Pl(c)}
              onChange=${m=>s({metric:m})} /></div></div>
          <${zt} series=${zl(i,p,n.smoothing)} label=${`${p} by step`} xLabel="step"
            yLabel=${n.smoothing?`${p}, smoothed`:p} logY=${n.log} height=${270} says=${Ll} />
        </section>
        <section>
          <div class="runs-chart-head"><h3>At evaluations</h3><div data-unpictured>
            ${d&&h`<${et} label="Number at evaluations" hidden value=${d} options=${Pl(u)}
              onChange=${m=>s({evaluated:m})} />`}</div></div>
          ${d?h`<${zt} series=${zl(i,d,0)} label=${`${d} by step`} xLabel="step" yLabel=${d}
                height=${270} says=${Ll} />`:h`<p class="hint">No evaluation yet.</p>`}
        </section>
      </div>
    </div>
  </div>`:h`<p class="hint">No step has been recorded yet.</p>`}function Bd({shown:t}){return t.length<2?null:h`<ul class=${`runs-keys ${t.length>6?"runs-many":""}`} aria-label="Curves">
    ${t.map(e=>h`<li><svg width="26" height="8" aria-hidden="true">
      <line x1="0" x2="26" y1="4" y2="4" class=${e.class} stroke-width="1.8" stroke-dasharray=${e.dash} /></svg>${e.name}</li>`)}
  </ul>`}var Pl=t=>t.map(e=>[e,e]),Ll=(t,e=4)=>R(t,e);function Hd(t){return`for example ${t.flatMap(n=>n.name.split(/[\s·-]+/).filter(s=>s.length>3)).find(n=>t.some(s=>!s.name.includes(n)))??t[0].name}`}function Ud(t){let e=z(new Map);for(let n of e.current.keys())t.includes(n)||e.current.delete(n);for(let n of t){let s=[...e.current.values()];e.current.has(n)||e.current.set(n,Array.from({length:t.length},(r,o)=>o).find(r=>!s.includes(r))??s.length)}return e.current}function Kd(t,e){let n=r=>t.filter(({run:o})=>o===r.run).indexOf(r),s=e.size===1||e.size>6||t.some(r=>n(r)>5);return t.map((r,o)=>({...r,class:St[(s?o+Math.floor(o/6):e.get(r.run))%6],dash:We[(s?o:n(r))%6]}))}function zl(t,e,n){return t.map(({name:s,columns:r,class:o,dash:a})=>{let i=(r.step??[]).map((c,u)=>[c,r[e]?.[u]??null]).filter(([,c])=>c!==null);n&&(i=Vd(i,n));let l=Math.ceil(i.length/Wd);return i=i.filter((c,u)=>u%l===0||u===i.length-1),{name:s,x:i.map(([c])=>c),y:i.map(([,c])=>c),class:o,dash:a}})}function Vd(t,e){let[n,s]=[0,0];return t.map(([r,o])=>(n=e*n+o,s=e*s+1,[r,n/s]))}function Dl(t){let e=[...new Set(t.flatMap(r=>Object.keys(r.columns)))],n=t.flatMap(({name:r,lines:o,columns:a},i)=>Array.from({length:o},(l,c)=>[r,[i,...e.map(u=>a[u]?.[c]??null)]])),s=["training",...e];return{curves:{shape:[n.length,s.length],data:n.flatMap(([,r])=>r),rows:n.map(([r])=>r),columns:s,axes:["training","number"]}}}var jl=1e3,Gd=3e3,Jd=30;function ql(t,e){W(()=>{let n=new AbortController,[s,r,o]=[0,!1,null],a=async()=>{clearTimeout(s),!(r||n.signal.aborted)&&(r=!0,o=await t(n.signal),r=!1,o!==null&&!document.hidden&&!n.signal.aborted&&(s=setTimeout(a,o)))},i=()=>!document.hidden&&o!==null&&a();return document.addEventListener("visibilitychange",i),a(),()=>{n.abort(),clearTimeout(s),document.removeEventListener("visibilitychange",i)}},e)}function es(t,e){let[n,s]=j({response:null,error:null}),r=z("");return ql(async o=>{let a=null;try{a=await t("runs",{},{signal:o});let i=JSON.stringify(a);i!==r.current&&s({response:a,error:null}),r.current=i}catch(i){if(wt(i))return null;r.current="",s(l=>({...l,error:i.message}))}return e==="file"?null:a?.runs.some(i=>i.state==="running")?jl:Gd},[t,e]),n}function Fl(t,e,n){let s=z(new Map),[r,o]=j({curves:new Map,error:null}),a=JSON.stringify(e.map(i=>[i.name,i.state,i.started]));return ql(async i=>{let l=s.current.size===0&&e.length===0,c=null;for(let u of e){let p=s.current.get(u.name);if(!(p&&p.state===u.state&&u.state!=="running"))try{let[d,m]=await Xd(t,u.name,p?.trainings??new Map,i,n);s.current.set(u.name,{state:u.state,trainings:d}),l||=m||!p}catch(d){if(wt(d))return null;c=d.message}}return(l||c)&&o({curves:new Map([...s.current].map(([u,p])=>[u,p.trainings])),error:c}),n!=="file"&&e.some(u=>u.state==="running")?jl:null},[t,a,n]),r}async function Xd(t,e,n,s,r){let o=new Map(n),[a,i]=[!1,!0];for(;i;){let l=Object.fromEntries([...o].map(([p,{lines:d,mark:m}])=>[p,{lines:d,mark:m}])),c=await t("curves",{run:e,after:l},{signal:s}),u=new Set(c.trainings.map(p=>p.name));for(let p of o.keys())u.has(p)||(o.delete(p),a=!0);for(let{name:p,start:d,lines:m,mark:f,columns:$}of c.trainings){let g=o.get(p);g&&d===g.lines&&m===g.lines||(a=!0,o.set(p,{lines:m,mark:f,columns:Yd(g?.columns??{},d,$,m)}))}i=c.more&&r!=="file"}return[o,a]}function Yd(t,e,n,s){let r=o=>new Array(o).fill(null);return Object.fromEntries([...new Set([...Object.keys(t),...Object.keys(n)])].map(o=>[o,[...t[o]?.slice(0,e)??r(e),...n[o]??r(s-e)]]))}function Il(t){let e=z(new Map);for(let n of t)for(let{name:s,step:r,written:o}of n.trainings){let a=`${n.name} ${n.started} ${s}`;if(n.state!=="running"&&e.current.delete(a),n.state!=="running")continue;let i=e.current.get(a)??[],l=i.at(-1);if(l?.step===r)continue;let c=l&&r<l.step?[]:i.filter(u=>o-u.written<Jd);e.current.set(a,[...c,{step:r,written:o}])}return(n,s)=>{let r=e.current.get(`${n.name} ${n.started} ${s.name}`)??[],[o,a]=[r[0],r.at(-1)];return r.length<2||a.written<=o.written?null:(a.step-o.step)/(a.written-o.written)}}var _e=t=>t.trainings.reduce((e,n)=>n.written>e.written?n:e);function Dr({text:t}){let e=z(null),[n,s]=j("");return h`<div class="runs-command"><div tabindex="0" role="group" aria-label="Command"><code ref=${e}>${t}</code></div>
    <button class="quiet" data-unpictured onClick=${async()=>{try{await navigator.clipboard.writeText(t),s("Copied")}catch{getSelection().selectAllChildren(e.current),s("Selected")}setTimeout(()=>s(""),1600)}}>${n||"Copy"}</button><span class="unseen" role="status">${n}</span></div>`}function Wl({run:t,speed:e}){if(t.state==="done")return null;let n=t.trainings.length?_e(t):null,s=l=>l.steps!==null&&l.step>=l.steps,r=l=>s(l)||t.state==="running"&&l!==n,o=t.trainings.filter(r),a=o.length>4,i=t.trainings.filter(l=>!a||!o.includes(l)).sort((l,c)=>l.written-c.written);return h`<div class="runs-progress">
    ${a&&h`<p class="note">${o.length} trainings are done.</p>`}
    ${i.map(l=>h`<${Qd} key=${l.name} one=${l} speed=${t.state==="running"&&!r(l)?e(t,l):null} />`)}
    ${t.state==="running"&&!n&&h`<p class="note">It is about to start.</p>`}
    ${t.state==="running"&&n&&s(n)&&h`<p class="note">The next training is starting, or the trained models are being measured.</p>`}
    ${t.state==="stopped"&&h`<p class="note">It was stopped. This command continues it exactly where it stopped:</p><${Dr} text=${t.resume} />`}
  </div>`}var Rr=t=>t.toLocaleString("en");function Qd({one:{name:t,step:e,steps:n},speed:s}){let r=s&&n?(n-e)/s:null,o=[n?`step ${Rr(e)} of ${Rr(n)}`:`step ${Rr(e)}`];return s&&o.push(`${R(s,2)} steps/s`),r!==null&&o.push(`${Zd(r)} left`),h`<div class="runs-bar" data-training=${t}>
    <span class="runs-name">${t}</span>
    ${n&&h`<progress max=${n} value=${e} aria-label=${`Steps of ${t}`}></progress>`}
    <span class="runs-far">${o.join(" · ")}</span>
  </div>`}function Zd(t){return t<90?`${Math.max(1,Math.round(t))} s`:t<5400?`${Math.round(t/60)} min`:`${R(t/3600,2)} h`}function Bl({ask:t,run:e,text:n}){let s=z(null);return W(()=>{let r=new AbortController,o=[];s.current.innerHTML=n;for(let a of s.current.querySelectorAll("table, pre"))tm(a);for(let a of s.current.querySelectorAll("img[data-figure]")){let i=em(a);t("figure",{run:e,name:a.dataset.figure},{signal:r.signal}).then(({header:l,data:c,offset:u})=>{o.push(URL.createObjectURL(new Blob([new Uint8Array(c,u)],{type:l.kind}))),a.src=o.at(-1)},l=>wt(l)||(a.remove(),i.textContent+=" (missing)"))}return()=>{r.abort(),o.forEach(a=>URL.revokeObjectURL(a))}},[t,e,n]),h`<div class="runs-report" ref=${s}></div>`}function tm(t){let e=document.createElement("div");e.className="scrolls",t.replaceWith(e),e.append(t),e.scrollWidth>e.clientWidth&&Object.assign(e,{tabIndex:0,role:"group",ariaLabel:"Scrolls sideways"})}function em(t){let e=document.createElement("figure"),n=document.createElement("figcaption");return n.textContent=t.alt,t.alt="",t.replaceWith(e),e.append(t,n),n}var Hl=t=>[...(t??"").matchAll(/data-figure="([^"]+)"/g)].map(([,e])=>e);function Ul({numbers:t}){let e=Object.keys(t);return h`<details><summary>All numbers <span class="badge">${e.length}</span></summary>
    <div class="runs-table" tabindex="0" role="group" aria-label="All numbers"><table class="lines"><tbody>
      ${e.map(n=>h`<tr><th scope="row">${n}</th><td class="number"><${Pt} value=${t[n]} digits=${4} /></td></tr>`)}
    </tbody></table></div></details>`}function Kl({settings:t}){let e=t.filter(n=>n.own!==null).length;return h`<details><summary>Settings <span class="badge">${t.length}${e?`, ${e} changed`:""}</span></summary>
    <div class="runs-table" tabindex="0" role="group" aria-label="Settings"><table class="lines">
      <thead><tr><th scope="col">setting</th><th scope="col">value</th><th scope="col">recipe default</th></tr></thead>
      <tbody>${t.map(({name:n,value:s,own:r})=>h`<tr class=${r===null?"":"runs-changed"}>
        <th scope="row"><code>${n}</code></th><td><code>${s}</code></td><td>${r===null?"":h`<code>${r}</code>`}</td></tr>`)}</tbody>
    </table></div></details>`}var nm={run:null,compared:[],metric:"loss",evaluated:null,log:!1,smoothing:0,only:""};function sm({ask:t,state:e,change:n,place:s}){let r={...e,smoothing:er(e.smoothing,0,.98,0),run:typeof e.run=="string"?e.run:null},{response:o,error:a}=es(t,s),i=o?.runs??[],l=i.filter(b=>!b.is_shipped).sort((b,y)=>y.started.localeCompare(b.started)),c=i.filter(b=>b.is_shipped),u=z(null);u.current??=[...l,...c][0]?.name??null;let p=i.find(b=>b.name===(r.run??u.current)),d=i.filter(b=>b!==p&&r.compared.includes(b.name)),m=p?[p,...d]:[],f=Fl(t,m,s),$=Il(i),g=z([r.run,...r.compared]).current,x=b=>s==="file"?b.filter(y=>g.includes(y.name)):b,v=(b,y)=>n({compared:[...r.compared.filter(_=>_!==b),...y?[b]:[]]});return o?h`<div class="sided runs">
    <div class="panel runs-side">
      <${I} error=${a} />
      ${!l.length&&s!=="file"&&h`<p class="hint">Your runs appear here as soon as they start: try<br />
        <code>regard train reversal --smoke</code></p>`}
      <${te} place=${s} what="see other runs" />
      <${lm} groups=${[["Yours",x(l)],["Comes with regard",x(c)]]} unreadable=${s==="file"?[]:o.unreadable}
        chosen=${p?.name} compared=${r.compared} onChoose=${b=>n({run:b})} onCompare=${v} />
    </div>
    ${p?h`<${rm} key=${`${p.name} ${p.state} ${p.started}`} ...${{ask:t,state:r,change:n,place:s,run:p,shown:m,found:f,speed:$}} />`:h`<${q} title=${r.run}><p>This run no longer exists.</p><//>`}
  </div>`:h`<${I} error=${a} waiting lines=${12}>reading the runs …<//>`}function rm({ask:t,state:e,change:n,place:s,run:r,shown:o,found:a,speed:i}){let l=z(null),{response:c,error:u,waiting:p}=J(t,"report",{run:r.name}),d=o.map(f=>f.name),m=()=>[["runs",{}],...d.map(f=>["curves",{run:f,after:{}}]),...d.map(f=>["report",{run:f}]),...Hl(c?.html).map(f=>["figure",{run:r.name,name:f}])];return h`<div class="runs-detail" ref=${l}>
    <${q} title=${h`<span class="runs-title">${r.name}</span> <${jr} state=${r.state} />`}
      actions=${h`<${nt} name=${`runs-${r.name}`} of=${l} ask=${t} view="runs" state=${{...e,run:r.name}} place=${s}
        numbers=${()=>Dl(ts(a.curves,d,e.only))} saves=${m} />`}>
      ${r.headline&&h`<p class="runs-result">${r.headline}</p>`}
      ${r.is_smoke&&h`<p class="note">A smoke test: it shows that all parts work; its numbers mean nothing.</p>`}
      <p class="note">${r.is_shipped?"Comes with regard; made with":h`Recipe ${r.recipe}, started ${am(r.started)} with`}</p>
      <${Dr} text=${r.command} />
      ${s==="page"&&h`<${om} ask=${t} run=${r} />`}
      <${Wl} run=${r} speed=${i} />
    <//>
    <section class="panel">
      <${I} error=${a.error} waiting=${!a.curves.has(r.name)} lines=${8}>reading the curves …<//>
      ${a.curves.has(r.name)&&h`<${Rl} curves=${a.curves} names=${d} state=${e} change=${n} />`}
    </section>
    <${q} title="Report">
      <${I} error=${u} waiting=${p} lines=${6}>reading the report …<//>
      ${c?.html&&h`<${Bl} ask=${t} run=${r.name} text=${c.html} />`}
      ${c&&!c.html&&h`<p class="hint">${r.state==="done"?"There is no report.":"The report is written when the training is done."}</p>`}
    <//>
    ${c&&h`<section class="panel runs-folded" data-unpictured>
      ${c.numbers&&h`<${Ul} numbers=${c.numbers} />`}
      <${Kl} settings=${c.settings} />
    </section>`}
  </div>`}function om({ask:t,run:e}){let n=J(t,"models",{}).response?.models??[],s=J(t,"recorded",{}).response?.trainings??[],r=(i,l)=>`#${i}?${encodeURIComponent(JSON.stringify(l))}`,o=n.find(i=>i.name===e.name||i.name.startsWith(`${e.name}/`)),a=s.find(i=>i.run===e.name);return!o&&!a?null:h`<p class="note runs-elsewhere" data-unpictured>
    ${o&&h`<a href=${r("maps",{model:o.name})}>Look at its attention maps</a>`}${o&&a&&" · "}
    ${a&&h`<a href=${r("heads",{run:e.name,training:a.training})}>Play its heads over training</a>`}
  </p>`}function am(t){let e=new Date(t);return Number.isNaN(e.getTime())?t:e.toLocaleString("en-GB",{dateStyle:"medium",timeStyle:"short"})}var Vl={name:"runs",title:"Runs",about:"Trainings and their results. Curves grow while a training runs; tick several runs to overlay their curves.",state:nm,View:sm},im={done:h`<path d="M3 8.5 6.5 12 13 4.5" fill="none" stroke="currentColor" stroke-width="2" />`,running:h`<circle cx="8" cy="8" r="4.5" fill="currentColor" />`,stopped:h`<path d="M5 4v8M11 4v8" fill="none" stroke="currentColor" stroke-width="2.4" />`,unreadable:h`<path d="M8 2.5v7M8 12v1.8" fill="none" stroke="currentColor" stroke-width="2.2" />`},jr=({state:t})=>h`<span class=${`runs-state runs-${t}`}>
  <svg viewBox="0 0 16 16" width="12" height="12" aria-hidden="true">${im[t]}</svg>${t}</span>`;function lm({groups:t,unreadable:e,chosen:n,compared:s,onChoose:r,onCompare:o}){let a=z(null);return W(()=>{let[l,c]=[a.current.querySelector(".runs-chosen"),a.current.parentElement],u=l?l.getBoundingClientRect().bottom-c.getBoundingClientRect().bottom:0;u>0&&(c.scrollTop+=u+12)},[n]),h`<nav class="runs-list" aria-label="Runs" ref=${a} onKeyDown=${l=>{let c=[...a.current.querySelectorAll(".runs-pick")],u=c.indexOf(l.target),p=u<0||l.key==="ArrowLeft"||l.key==="ArrowRight"?null:Wt(l,u,c.length,1);p!==null&&c[p].focus()}}>
    ${t.map(([l,c])=>c.length>0&&h`<section><h2>${l}</h2><ul>
      ${c.map(u=>h`<li key=${u.name} class=${u.name===n?"runs-chosen":""}>
        <button class="runs-pick" aria-current=${u.name===n?"true":null} onClick=${()=>r(u.name)}>
          <span class="runs-name">${u.name}</span><${jr} state=${u.state} />
          <span class="runs-headline">${u.headline??cm(u)}</span>
        </button>
        ${u.name!==n&&h`<label class="runs-compare" title="Overlay its curves">
          <input type="checkbox" checked=${s.includes(u.name)} onChange=${p=>o(u.name,p.target.checked)} />
          compare<span class="unseen"> ${u.name}</span></label>`}
      </li>`)}
    </ul></section>`)}
    ${e.length>0&&h`<section><h2>Cannot be read</h2><ul>
      ${e.map(l=>h`<li class="runs-wrong"><span class="runs-name">${l.name}</span><${jr} state="unreadable" />
        <span class="runs-headline">${l.why}</span></li>`)}
    </ul></section>`}
  </nav>`}function cm(t){if(!t.trainings.length)return t.state==="running"?"about to start":"not started";let{name:e,step:n,steps:s}=_e(t);return`${e}: step ${n.toLocaleString("en")}${s?` of ${s.toLocaleString("en")}`:""}`}var Gl=2,um=[["Learn","playground","The playground: every number of attention, in five steps","claims","Claims: check what you know, and get the counterexample"],["Inspect","maps","Maps: what each head of a model looks at in your text","heads","Heads: gaussian heads, from training to convolution"],["Design","patterns","Patterns: who may see whom, what it costs, how far it reaches",null,null]];function Jl({ask:t,place:e}){return h`<div class="start-doors">
    ${um.map(([n,s,r,o,a])=>h`<section class="panel start-door"><h2>${n}</h2>
      <p><a href=${`#${s}`}>${r}</a></p>${o&&h`<p><a href=${`#${o}`}>${a}</a></p>`}</section>`)}
    <${pm} ask=${t} place=${e} />
  </div>`}function pm({ask:t,place:e}){let{response:n,error:s}=es(t,e),r=(n?.runs??[]).filter(o=>!o.is_shipped).sort((o,a)=>(a.state==="running")-(o.state==="running")||a.started.localeCompare(o.started));return h`<section class="panel start-door"><h2>Your runs</h2>
    ${s&&h`<p class="error">${s}</p>`}
    ${n&&!r.length&&h`<p>None yet: <code>regard train reversal</code> trains a model that you can watch here.</p>`}
    ${r.slice(0,Gl).map(o=>h`<${hm} run=${o} />`)}
    ${r.length>0&&h`<p><a href="#runs">${r.length>Gl?`All ${r.length} runs`:"Curves and reports"}</a></p>`}
  </section>`}function hm({run:t}){let{step:e,steps:n}=t.trainings.length?_e(t):{step:0,steps:null},s=`${e.toLocaleString("en")}${n?` of ${n.toLocaleString("en")}`:""}`;return h`<p class="start-run"><a href=${`#runs?${encodeURIComponent(JSON.stringify({run:t.name}))}`}>${t.name}</a>
    ${t.state==="running"&&n?h`<progress max=${n} value=${e} aria-label=${`${t.name}: step ${s}`}></progress>`:null}
    <small>${t.state==="running"?`step ${s}`:t.state}</small></p>`}var dm=.015,Xl=3,qr=t=>t.trim()||(t?"␣":"start"),ke=(t,e)=>Array.from(t.keys()).sort((n,s)=>t[s]-t[n]).slice(0,e).filter((n,s)=>!s||t[n]>=.005);function Yl({read:t,row:e,query:n,pinned:s,onPoint:r,onPin:o}){ct();let[a,i]=X(),[l,c]=j([]),u=z(null);lt(()=>{let f=[...u.current.children].map(({offsetLeft:$,offsetTop:g,offsetWidth:x,offsetHeight:v})=>({x:$+x/2,y:g,w:x,h:v}));c(f)},[t,i]);let p=l.length===t.pieces.length,d=f=>{let $=Wt(f,n,t.pieces.length);$!==null&&u.current.children[$].focus()},m=f=>f===n?`${t.names[f]} looks at ${ke(e,Xl).map($=>`${t.names[$]} ${rt(e[$])}`).join(", ")}`:t.names[f];return h`<div class="start-sentence" ref=${a} onPointerLeave=${()=>r(null)}>
    ${p&&h`<svg class="start-arcs" aria-hidden="true">
      ${Array.from(e,(f,$)=>f>=dm&&h`<path key=${$} class="start-arc" d=${$m(l[n],l[$])}
        stroke-width=${1+8*f} stroke-opacity=${.25+.75*Math.sqrt(f)} />`)}
    </svg>`}
    <div class="start-tokens" ref=${u} role="group" aria-label="The tokens of the sentence" onKeyDown=${d}>
      ${t.pieces.map((f,$)=>h`<button key=${$} class=${fm(f,$,n)} tabindex=${$===n?0:-1}
        aria-pressed=${String($===s)} aria-label=${m($)} data-token=${$} data-pictured
        style=${$<=n?{background:Nt(e[$],"weight",1),color:On(e[$],"weight",1)}:null}
        onPointerEnter=${()=>r($)} onFocus=${()=>r($)} onClick=${()=>o($===s?null:$)}>
        <span>${t.names[$]}</span><small>${$<=n?mm(e[$]):" "}</small></button>`)}
    </div>
    ${p&&h`<p class="start-told" style=${{left:`${Math.max(120,Math.min(l[n].x,i-120))}px`,top:`${l[n].y+l[n].h+8}px`}}>
      ${ke(e,Xl).map(f=>h`<span><b>${rt(e[f])}</b> ${f===n?"itself":t.names[f]}</span>`)}</p>`}
  </div>`}var mm=t=>t<.01?"< 1 %":`${Math.round(100*t)} %`,fm=(t,e,n)=>`start-token${e===n?" is-query":""}${e>0&&/^\p{L}/u.test(t)&&e>1?" goes-on":""}${e>n?" comes-later":""}`;function $m(t,e){if(t===e)return`M${t.x-7},${t.y} C${t.x-20},${t.y-30} ${t.x+20},${t.y-30} ${t.x+7},${t.y}`;if(Math.abs(t.y-e.y)>4){let[s,r]=t.y>e.y?[t.y,e.y+e.h]:[t.y+t.h,e.y],o=(s+r)/2;return`M${t.x},${s} C${t.x},${o} ${e.x},${o} ${e.x},${r}`}let n=Math.min(74,16+.14*Math.abs(t.x-e.x));return`M${t.x},${t.y} C${t.x},${t.y-1.33*n} ${e.x},${e.y-1.33*n} ${e.x},${e.y}`}function gm({names:t,width:e,head_width:n},s,r){let[o,a]=ke(s,2),i=a===void 0||!(s[a]>0);return[["tokens","Tokens","Text is cut into tokens. Each is a vector.",h`“${t[r]}”: ${e} numbers`],["qkv","q, k, v","It asks with a query, offers a key, gives a value.",h`${n} numbers each`],["logits","q · k · β","Its query meets every key. The product is a score.",i?h`one key to meet`:h`“${t[o]}” beats “${t[a]}” by ${R(Math.log(s[o]/s[a]),2)}`],["softmax","softmax","Scores become weights, which sum to 100 %.",i?h`${rt(s[o])}`:h`${rt(s[o])}, ${rt(s[a])}, …`],["mix","mix","It takes the values, mixed by these weights.",i?h`1 · v(${t[o]})`:h`${R(s[o],2)} · v(${t[o]}) + ${R(s[a],2)} · v(${t[a]}) + …`]]}function Ql({read:t,row:e,query:n,place:s}){return h`<ol class="start-steps" aria-label="Attention in five steps">
    ${gm(t,e,n).map(([r,o,a,i],l)=>{let c=h`<span class="start-number" aria-hidden="true">${l+1}</span><b>${o}</b><span class="start-says">${a}</span><span class="start-now">${i}</span>`;return h`<li>${s==="page"?h`<a href=${`#playground?${encodeURIComponent(JSON.stringify({step:r}))}`}>${c}</a>`:h`<div>${c}</div>`}</li>`})}
  </ol>`}var Fr=["A little girl in a pink dress is","Two dogs are running through the","Several people are sitting at a"],Zl=400,xm={text:Fr[0],head:"",token:null};function ym({ask:t,state:e,change:n,place:s}){let r=z(null),o={text:e.text.slice(0,Zl)},a=$t(t,"start",o),i=U(()=>a.response&&vm(a.response),[a.response]),[l,c]=j(null),u=x=>(c(null),n({text:x,token:null}));if(!i)return h`<div class="start"><${q}><${I} error=${a.error} waiting=${!0} lines=${5} /><//></div>`;let p=i.pieces.length,[d,m]=wm(i,e.head),f=bm(l??e.token??p-1,p),$=i.rowOf(d,m,f),g=()=>({weights:{shape:[p,p],data:i.mapOf(d,m),rows:i.names,columns:i.names,axes:["query","key"]}});return h`<div class="start">
    <div class="start-live">
      <${q} class="start-read">
        <div class="start-tools">
          <${yt} class="start-write" place=${s} what="write another sentence">
            <${ht} label="The sentence: write your own" live value=${e.text} max=${Zl} onChange=${u} />
          <//>
          <${et} label="Head" value=${e.head} options=${_m(i)} onChange=${x=>n({head:x})} />
          <${nt} name="attention" of=${r} numbers=${g} saves=${()=>[["start",o],["runs",{}]]} ask=${t}
            view="start" state=${e} place=${s} />
        </div>
        <figure class="start-figure" ref=${r}>
          <${Yl} read=${i} row=${$} query=${f} pinned=${e.token} onPoint=${c} onPin=${x=>n({token:x})} />
          <figcaption>${km(i,d,m,f,$)}</figcaption>
        </figure>
        <${I} error=${a.error} />
        ${s==="page"&&h`<p class="start-examples"><span class="hint">Or read</span>
          ${Fr.filter(x=>x!==e.text).map(x=>h`<button class="quiet" onClick=${()=>u(x)}>${x} …</button>`)}</p>`}
      <//>
      <${q} class="start-next" title="What comes next?">
        <${yt} place=${s} noted=${!1}><${Mm} read=${i} text=${e.text} isFull=${p>=i.context} write=${u} /><//>
      <//>
    </div>
    <${Ql} read=${i} row=${$} query=${f} place=${s} />
    ${s==="page"&&h`<${Jl} ask=${t} place=${s} />`}
  </div>`}function vm({header:t,data:e,offset:n}){let s=t.pieces.length,r=new Float32Array(e,n,t.layers*t.heads*s*s),o=(i,l)=>r.subarray((i*t.heads+l)*s*s,(i*t.heads+l+1)*s*s);return{...t,mapOf:o,rowOf:(i,l,c)=>o(i,l).subarray(c*s,(c+1)*s),names:t.pieces.map(qr)}}var bm=(t,e)=>Math.max(0,Math.min(e-1,Math.round(t)||0));function wm({layers:t,heads:e,telling:n},s){let[r,o]=s.split(".").map(Number);return/^\d+\.\d+$/.test(s)&&r<t&&o<e?[r,o]:n}function _m({layers:t,heads:e,telling:[n,s]}){let r=o=>[`Layer ${o+1}`,Array.from({length:e},(a,i)=>[`${o}.${i}`,`layer ${o+1}, head ${i+1}`])];return[["",`layer ${n+1}, head ${s+1} (looks farthest)`],...Array.from({length:t},(o,a)=>r(a))]}var km=(t,e,n,s,r)=>h`<b>${t.names[s]}</b> looks at
  ${ke(r,3).map((o,a)=>h`${a?", ":" "}<b>${o===s?"itself":t.names[o]}</b> ${rt(r[o])}`)}:
  the <${ft} of="weight">weights<//> of <${ft} of="head">head<//> ${n+1} in <${ft} of="layer">layer<//> ${e+1},
  one of ${t.layers*t.heads} in this model.`;function Mm({read:t,text:e,isFull:n,write:s}){if(n)return h`<p>The model was trained on ${t.context} <${ft} of="token">tokens<//> at a time. <button onClick=${()=>s(Fr[0])}>Start anew</button></p>`;let r=t.next[0].probability;return h`<p class="note">The model gives every <${ft} of="token">token<//> a probability. Click one to append it.</p>
    <ol class="start-bars">${t.next.map(({piece:o,probability:a})=>h`<li key=${o}><button title=${`${a}`}
      onClick=${()=>s(o?e.trimEnd()+(e.trim()?o:o.trimStart()):"")}>
      <span class="start-bar" style=${{width:`${100*a/r}%`}}></span>
      <span class="start-piece">${o?qr(o):"end, begin a new one"}</span><span class="start-share">${rt(a)}</span></button></li>`)}</ol>`}var tc={name:"start",title:"Start",headline:"Attention: every word looks at the words before it, and takes what it needs.",about:"A small Transformer, trained on captions of photographs, reads this sentence. Point at a word: the arcs show where it looks, and how much.",state:xm,View:ym};var re=[tc,El,fi,cl,Ri,kl,Vl],Tt=t=>re.find(e=>e.name===t)??re[0];function Qe({model:t}){let e=Tt(t.get("view")),n=U(()=>wo(t),[t]),[s,r]=j(()=>({...e.state,...t.get("state")}));W(()=>{let a=()=>r({...e.state,...t.get("state")});return t.on("change:state",a),()=>t.off("change:state",a)},[t,e]);let o=go(a=>{t.set("state",{...t.get("state"),...a}),t.save_changes()},[t]);return h`<${e.View} ask=${n} state=${s} change=${o} place=${t.get("place")??"notebook"} />`}function Ze(){let[,t,e]=/^#?([^?]*)\??(.*)$/s.exec(location.hash);if(t&&!re.some(o=>o.name===t))return{view:re[0].name,state:{},refused:`There is no view called “${Ir(t)}”.`};let n=Tt(t),{state:s={},refused:r=null}=e?Sm(n,e):{};return{view:n.name,state:s,refused:r}}function Sm(t,e){let n;try{n=JSON.parse(decodeURIComponent(e))}catch{n=null}if(ns(n)!=="an object")return{refused:"The end of this address is broken: behind “?” stands the state of the view, an object of JSON."};for(let[s,r]of Object.entries(n)){if(!Object.hasOwn(t.state,s))return{refused:`${t.title} has no “${Ir(s)}”: this address may say ${Object.keys(t.state).join(", ")}.`};let o=t.state[s];if(o!==null&&ns(r)!==ns(o))return{refused:`“${s}” must be ${ns(o)}: this address says ${Ir(JSON.stringify(r))}.`}}return{state:n}}var Ir=t=>t.length>60?`${t.slice(0,59)}…`:t,Nm={string:"a text",number:"a number",boolean:"true or false",object:"an object"},ns=t=>Array.isArray(t)?"a list":t===null?"nothing":Nm[typeof t];function tn({view:t,state:e}){let n=Object.entries(e).filter(([s,r])=>Me(r)!==Me(Tt(t).state[s]));return`#${t}${n.length?`?${encodeURIComponent(Me(Object.fromEntries(n)))}`:""}`}var Me=t=>JSON.stringify(t,(e,n)=>e.startsWith("__")?void 0:n);var Cm=350,Am=700,Tm="textarea, input[type=text]:not(.cell), .cell[data-draft]",[ec,Wr,Br,Hr,ss,Ur]=[-1/0,!1,0,null,history.state?.depth??0,()=>{}],Se=()=>history.state?.depth??0;function nc(t){return t.on("change:state",()=>{Wr||=performance.now()-ec<Am,Hr=t,clearTimeout(Br),Br=setTimeout(os,Cm)}),t}function os(){clearTimeout(Br);let[t,e]=[Hr,Wr];[Hr,Wr]=[null,!1];let n=Ze();if(!t||n.refused||n.view!==t.get("view"))return;let s=tn({view:n.view,state:t.get("state")});s!==tn(n)&&(e?(history.replaceState({depth:Se()},""),history.pushState({depth:ss=Se()+1},"",s)):history.replaceState(history.state,"",s),Ur())}function Kr(){os(),Se()>0&&history.back()}function rs(){os(),Se()<ss&&history.forward()}function sc(){let[,t]=j(0);return W(()=>{let e=a=>(a.type!=="pointermove"||a.buttons)&&(ec=performance.now()),n=a=>{if(!(a.ctrlKey||a.metaKey)||a.altKey||a.target.matches?.(Tm))return;let i={z:a.shiftKey?rs:Kr,y:rs}[a.key.toLowerCase()];i&&(a.preventDefault(),i())},s=a=>a.target.closest?.("a[href^='#']")&&os(),r=()=>{history.state===null&&(ss=0),Ur()};Ur=()=>t(a=>a+1);let o=["pointerdown","pointerup","pointermove","keydown","input","change","drop"];for(let a of o)addEventListener(a,e,!0);return addEventListener("keydown",n),addEventListener("click",s,!0),addEventListener("popstate",r),()=>{for(let a of o)removeEventListener(a,e,!0);removeEventListener("keydown",n),removeEventListener("click",s,!0),removeEventListener("popstate",r)}},[]),{past:Se(),future:ss-Se()}}var rc=[["Start",["start"]],["Learn",["playground","claims"]],["Inspect",["maps","heads"]],["Design",["patterns"]],["Runs",["runs"]]],oe=new Map;function oc({view:t,state:e}){return oe.has(t)||oe.set(t,nc(new hn({view:t,state:e,place:"page"}))),oe.get(t)}function Em({model:t,children:e}){let[n,s]=j(null);return this.componentDidCatch=r=>{console.error(r),s(r)},W(()=>{let r=()=>s(null);return t.on("change:state",r),()=>t.off("change:state",r)},[t]),n===null?e:h`<${ac} why=${`The view cannot show this address: ${n.message}`} again=${()=>t.set("state",{})} />`}var ac=({why:t,again:e})=>h`<section class="panel" role="alert"><p class="error">${t}</p><button onClick=${e}>Start over</button></section>`;function ic(){let[t,e]=j(Ze);W(()=>{let s=()=>{let r=Ze();oe.has(r.view)&&Me(oe.get(r.view).get("state"))!==Me(r.state)&&oe.get(r.view).set("state",r.state),e(r)};return addEventListener("hashchange",s),()=>removeEventListener("hashchange",s)},[]),W(()=>{document.title=`${Tt(t.view).title} · regard`},[t.view]);let n=Tt(t.view);return h`
    <a class="skip" href=${location.hash||"#start"} onClick=${Lm}>Skip to the view</a>
    <header class="top">
      <a class="brand" href="#start" aria-label="regard"><${Ln} />regard</a>
      <nav aria-label="Views">${re.map(s=>h`<${cc} one=${s} here=${n} />`)}</nav>
      <${Pm} /><${zn} />
    </header>
    <main id="main" tabindex="-1" class=${`of-${n.name}`}>
      <div class="heading"><h1>${n.headline??n.title}</h1><p>${n.about}</p></div>
      ${t.refused?h`<${ac} why=${t.refused} again=${()=>location.hash=`#${n.name}`} />`:h`<${Em} key=${n.name} model=${oc(t)}><${Qe} model=${oc(t)} /><//>`}
    </main>
    <${Om} here=${n} />
  `}var lc=t=>tn({view:t,state:oe.get(t)?.get("state")??{}}),cc=({one:t,here:e})=>h`<a href=${lc(t.name)} aria-current=${t===e?"page":null}>${t.title}</a>`;function Om({here:t}){let[,e]=rc.find(([,n])=>n.includes(t.name));return h`<nav class="bottom" aria-label="Where you are">
    ${e.length>1&&h`<div class="bottom-views">${e.map(n=>h`<${cc} one=${Tt(n)} here=${t} />`)}</div>`}
    <div class="bottom-groups">${rc.map(([n,s])=>h`<a href=${lc(s.includes(t.name)?t.name:s[0])}
      aria-current=${s===e?"true":null}>${n}</a>`)}</div>
  </nav>`}function Pm(){let{past:t,future:e}=sc(),n=s=>h`<svg viewBox="0 0 20 20" width="18" height="18" aria-hidden="true"><path d=${s} fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round" /></svg>`;return h`<span class="undo"><${vt} class="quiet" aria-label="Undo" title="Undo (Ctrl-Z)" off=${!t} onClick=${Kr}>${n("M7 4 3 8l4 4M3 8h8a5 5 0 0 1 0 10H8")}<//><${vt}
    class="quiet" aria-label="Redo" title="Redo (Ctrl-Shift-Z)" off=${!e} onClick=${rs}>${n("m13 4 4 4-4 4m4-4H9a5 5 0 0 0 0 10h3")}<//></span>`}function Lm(t){t.preventDefault(),document.getElementById("main").focus()}var Vr=document.getElementById("regard-page");Vr&&(Vr.textContent="",Ee(h`<${ic} />`,Vr));var uc=document.getElementById("regard-saved");uc&&zm(JSON.parse(uc.textContent));function zm({view:t,state:e,answers:n,version:s,date:r}){let o=Tt(t),a=new dn({view:t,state:e,place:"file"},n);document.title=`${o.title} · regard`;let i=document.createElement("div");document.body.append(i);let l=h`
    <main>
      <div class="heading"><div><h1>${o.title}</h1><p>${o.about}</p></div><${zn} /></div>
      <${Qe} model=${a} />
    </main>
    <footer><${Ln} /><p>Saved from regard ${s} on ${r}; <code>regard explore</code> shows it live.</p></footer>
  `;Ee(l,i)}function pc(){let{jpThemeLight:t,vscodeThemeKind:e}=document.body.dataset,n=t?t!=="true":e&&/dark/.test(e),s=n===void 0||n===""?null:n?"dark":"light";s&&document.documentElement.dataset.theme!==s&&(document.documentElement.dataset.theme=s)}var t1={render({model:t,el:e}){e.classList.add("regard","in-notebook");let n=({target:r})=>e.contains(r)&&(r.dataset.lmSuppressShortcuts="true");addEventListener("keydown",n,!0),pc();let s=new MutationObserver(pc);return s.observe(document.body,{attributeFilter:["data-jp-theme-light","data-vscode-theme-kind"]}),Ee(h`<${Qe} model=${t} />`,e),()=>(removeEventListener("keydown",n,!0),s.disconnect(),Ee(null,e))}};export{hn as PageModel,dn as SavedModel,wo as asker,t1 as default,rr as drawFigure,ye as ellipseOf,Tc as fromBase64,h as html,wt as isAborted,Ee as render,bs as toBase64,Ac as unpack,J as useAnswer,$t as useLatest,Tt as viewOf};
